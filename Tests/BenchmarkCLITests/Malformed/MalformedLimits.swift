// SPDX-License-Identifier: Apache-2.0

import Results

extension MalformedInput {
  /// Limits files, each named by its text.
  static let limits: [MalformedInput] = {
    func text(_ text: String, _ message: String...) -> MalformedInput {
      MalformedInput(text, text, message.joined())
    }
    let metrics = Metric.allCases.filter { $0.direction != .none }.map(\.rawValue)
      .joined(separator: ", ")
    return [
      text(
        "chain",
        ":1:6: the line ends before SCHEDULER; expected WORKLOAD SCHEDULER METRIC, then ",
        "tolerance 3%, limit 500ns or off; write * for all of them"),
      text(
        "chain *",
        ":1:8: the line ends before METRIC; expected WORKLOAD SCHEDULER METRIC, then tolerance ",
        "3%, limit 500ns or off; write * for all of them"),
      text(
        "# a\nchain * wall",
        ":2:13: the line ends before a rule; expected WORKLOAD SCHEDULER METRIC, then tolerance ",
        "3%, limit 500ns or off; write * for all of them"),
      text(
        "chian * wall off",
        ":1:1: unknown workload \"chian\"; expected * or one of chain, fan, latency; correct it ",
        "or remove the line"),
      text(
        "* workstealing wall off",
        ":1:3: unknown scheduler \"workstealing\"; expected * or one of dispatch, inline, ",
        "work-stealing; correct it or remove the line"),
      text(
        "* * wal off",
        ":1:5: unknown metric \"wal\"; expected * or one of ",
        metrics, "; see `bench schema` for what they are"),
      text(
        "* * tasks off",
        ":1:5: tasks, of which no value is better than another; expected one of ", metrics,
        "; remove the line"),
      text(
        "* * wall:p98 off",
        ":1:10: \"p98\", which is no statistic of wall; expected one of p50, min, max, mean; ",
        "write the metric alone for its median"),
      text(
        "* * wall:ratio off",
        ":1:10: \"ratio\", which is no statistic of wall; expected one of p50, min, max, mean; ",
        "write the metric alone for its median"),
      text(
        "* * wall: off",
        ":1:10: \"\", which is no statistic of wall; expected one of p50, min, max, mean; write ",
        "the metric alone for its median"),
      text(
        "* * latency:p99:p50 off",
        ":1:13: \"p99:p50\", which is no statistic of latency; expected one of p50, p90, p99, ",
        "p99.9, max, mean; write the metric alone for its median"),
      text(
        "* * wall toleranc 3%",
        ":1:10: unknown rule \"toleranc\"; expected tolerance, limit, off; a limit is a bound ",
        "of its own, a tolerance how much worse than the base it may be"),
      text(
        "* * wall Off",
        ":1:10: unknown rule \"Off\"; expected tolerance, limit, off; a limit is a bound of its ",
        "own, a tolerance how much worse than the base it may be"),
      text(
        "* * wall tolerance",
        ":1:19: tolerance without a value; expected a share, such as 3%; write it behind the ",
        "word"),
      text(
        "* * wall limit  # 3ns",
        ":1:15: limit without a value; expected a figure with its unit, such as 500ns; write it ",
        "behind the word"),
      text(
        "* * wall tolerance 3",
        ":1:20: tolerance \"3\"; expected 0 or 0% to 100%, such as 3%; write a share of the ",
        "base; a bound in units is a limit"),
      text(
        "* * wall tolerance 3 %",
        ":1:20: tolerance \"3\"; expected 0 or 0% to 100%, such as 3%; write a share of the ",
        "base; a bound in units is a limit"),
      text(
        "* * wall tolerance -3%",
        ":1:20: tolerance \"-3%\"; expected 0 or 0% to 100%, such as 3%; write a share of the ",
        "base; a bound in units is a limit"),
      text(
        "* * wall tolerance 101%",
        ":1:20: tolerance \"101%\"; expected 0 or 0% to 100%, such as 3%; write a share of the ",
        "base; a bound in units is a limit"),
      text(
        "* * wall tolerance 1e999%",
        ":1:20: tolerance \"1e999%\"; expected 0 or 0% to 100%, such as 3%; write a share of ",
        "the base; a bound in units is a limit"),
      text(
        "* * wall tolerance nan%",
        ":1:20: tolerance \"nan%\"; expected 0 or 0% to 100%, such as 3%; write a share of the ",
        "base; a bound in units is a limit"),
      text(
        "* * wall tolerance 3% 4%",
        ":1:23: \"4%\" after the rule; expected the end of the line after the value; begin a ",
        "comment with #"),
      text(
        "* * wall limit 500",
        ":1:16: limit \"500\" of wall; expected a figure above 0 with a unit of ns, us, µs, ms, ",
        "s; write the worst value that is allowed; a share of the base is a tolerance"),
      text(
        "* * wall limit 500 ns",
        ":1:16: limit \"500\" of wall; expected a figure above 0 with a unit of ns, us, µs, ms, ",
        "s; write the worst value that is allowed; a share of the base is a tolerance"),
      text(
        "* * wall limit 0ns",
        ":1:16: limit \"0ns\" of wall; expected a figure above 0 with a unit of ns, us, µs, ms, ",
        "s; write the worst value that is allowed; a share of the base is a tolerance"),
      text(
        "* * wall limit 5MiB",
        ":1:16: limit \"5MiB\" of wall; expected a figure above 0 with a unit of ns, us, µs, ",
        "ms, s; write the worst value that is allowed; a share of the base is a tolerance"),
      text(
        "* * wall limit 0x1p3ns",
        ":1:16: limit \"0x1p3ns\" of wall; expected a figure above 0 with a unit of ns, us, µs, ",
        "ms, s; write the worst value that is allowed; a share of the base is a tolerance"),
      text(
        "* * voluntary-switches limit 3ns",
        ":1:30: limit \"3ns\" of voluntary-switches; expected a figure above 0 with a unit of ",
        "none, since it is a plain number; write the worst value that is allowed; a share of ",
        "the base is a tolerance"),
      text(
        "* * * limit 500ns",
        ":1:5: a limit for all metrics; expected one metric, whose unit the limit has; write a ",
        "line for each"),
      text(
        "* * wall off 3%",
        ":1:14: \"3%\" after the rule; expected the end of the line after off; begin a comment ",
        "with #"),
      text(
        "* * wall off\r\n* * cpu off",
        ":1:13: a carriage return; expected line feeds alone; save it with Unix line ends"),
      text(
        "\u{FEFF}* * wall off",
        ":1:1: a byte order mark; expected plain UTF-8; save it without a byte order mark"),
      text(
        "* * wall\u{0} off",
        ":1:9: the control character 0; expected printable text; remove it"),
      text(
        "* * wall off\n* * wall off",
        ":2:1: the same workload, scheduler, metric and rule as in line 1; expected each of ",
        "them once; remove one of the lines"),
      text(
        "* * wall tolerance 1%\n\n  * * wall tolerance 2%",
        ":3:3: the same workload, scheduler, metric and rule as in line 1; expected each of ",
        "them once; remove one of the lines"),
      MalformedInput(
        "bytes that are no UTF-8", Array("# fine\n# ".utf8) + [0xFF],
        ":2:1: bytes that are no UTF-8; expected UTF-8 text; save it as UTF-8"),
    ]
  }()
}
