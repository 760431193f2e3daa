// SPDX-License-Identifier: Apache-2.0

package import History
package import Results
internal import Statistics

/// Histories, for the tests of what keeps, shows and exports them.
package enum HistorySamples {
  package static let reference = commit(0)
  package static let machine = ExportSamples.identity().machineID

  /// The commit of a number, which its last digits are.
  package static func commit(_ number: Int) -> String {
    let digits = String(number)
    return "6180120d52a1b7c0c9a7c3e1f00d5eed".padding(to: 40 - digits.count) + digits
  }

  /// When the commit of a number was made: every twelve hours one.
  package static func moment(_ number: Int) -> Timestamp {
    Timestamp(unixSeconds: 1_767_225_600 + 43_200 * Int64(number))
  }

  package static func runID(_ number: Int) -> RunID {
    let digits = String(number)
    guard let run = RunID(text: "01KG9RKVG0T5Z0N9QX3W7B".padding(to: 26 - digits.count) + digits)
    else { fatalError("HistorySamples: number \(number); expected at most four digits") }
    return run
  }

  /// What the commit of a number measured.
  package static func point(
    _ number: Int, _ ratio: Double? = 1, subject: Subject = ExportSamples.subject(),
    value: Double = 431.25, reference: String = reference, run: Int? = nil
  ) -> HistoryPoint {
    HistoryPoint(
      added: moment(number + 2), committed: moment(number), commit: commit(number), branch: "main",
      machineID: machine, subject: subject, ratio: ratio,
      interval: ratio.map { Interval(low: $0 * 0.99, high: $0 * 1.01, level: 0.95) }, pairs: 20,
      value: value, reference: reference, runID: runID(run ?? number))
  }

  /// Noise of one per cent around 1, without any structure that a change point could be.
  package static func noise(_ number: Int, stream: Int = 0) -> Double {
    let place = (Double(number) + 17 * Double(stream)) * 0.618_033_988_749_895
    return 0.99 + 0.02 * (place - place.rounded(.down))
  }

  /// Sixty commits, of which number `step` and those after it are slower by that factor.
  package static func points(
    _ subject: Subject, step: Int = 40, factor: Double, stream: Int
  ) -> [HistoryPoint] {
    (1...60).map { number in
      point(number, noise(number, stream: stream) * (number < step ? 1 : factor), subject: subject)
    }
  }

  /// Series with a planted step, with a step the other way, flat ones, and one of fewer commits.
  package static var series: [HistorySeries] {
    let short = (1...30).map { number in
      // One figure is known in full, for whoever looks for it in a file.
      point(
        number, number == 1 ? 0.9921875 : noise(number, stream: 4),
        subject: ExportSamples.subject(.wall, .p50, benchmark: "young"))
    }
    return HistorySeries.all(
      of: points(ExportSamples.subject(.wall, .p50, benchmark: planted), factor: 1.2, stream: 1)
        + points(
          ExportSamples.subject(.efficiency, .p50, benchmark: planted), factor: 0.8, stream: 2)
        + points(ExportSamples.subject(.wall, .p50, benchmark: "flat"), factor: 1, stream: 3)
        + points(ExportSamples.subject(.tasks, .p50, benchmark: "flat"), factor: 1, stream: 3)
        + short)
  }

  /// The benchmark whose figures become worse at commit 40.
  package static let planted = "planted"

  /// The rows of a run that compared a commit with the reference in pairs.
  package static func comparison(
    _ number: Int, factor: Double = 1, pairs: Int = 8, reference: String = reference,
    commit: String? = nil, subjects: [Subject] = [ExportSamples.subject()]
  ) -> [ResultRow] {
    var run = ExportSamples.identity()
    run.runID = runID(number)
    var rows: [ResultRow] = []
    for subject in subjects {
      let sides: [(Role, String, Double)] = [
        (.a, reference, 1), (.b, commit ?? self.commit(number), factor),
      ]
      for (role, revision, level) in sides {
        let code = CodeIdentity(commit: revision, branch: nil, isDirty: false)
        let values = (0..<pairs).map { 400 * level * noise($0, stream: role == .a ? 1 : 2) }
        rows.append(
          ResultRow(run: run, code: code, subject: subject, value: median(values), role: role))
        for (pair, value) in values.enumerated() {
          rows.append(
            ResultRow(
              run: run, code: code, subject: subject, value: value, process: 1, role: role,
              pairID: pair + 1))
        }
      }
      var ratio = subject
      ratio.statistic = .ratio
      rows.append(
        ResultRow(
          run: run, code: CodeIdentity(commit: commit ?? self.commit(number), isDirty: false),
          subject: ratio, value: factor, role: .b))
    }
    return rows
  }
}

extension String {
  /// The text with zeros behind it, `count` characters long.
  fileprivate func padding(to count: Int) -> String {
    self + String(repeating: "0", count: max(0, count - self.count))
  }
}
