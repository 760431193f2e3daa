// SPDX-License-Identifier: Apache-2.0

internal import Measurement
internal import Results
internal import TracePages
internal import Traces

/// Which of two schedulers took longer, and on what.
///
/// Times are of runs without a recording; what they were spent on is of the recorded runs, along
/// the path that each of them hung on, so that the parts sum to the difference of the makespans.
struct ProfileComparison {
  /// The times of the runs of one scheduler without a recording, ns.
  struct Times {
    let median: UInt64
    let least: UInt64
    let most: UInt64

    init(_ pairs: [(untraced: UInt64, traced: UInt64)]) {
      let sorted = pairs.map(\.untraced).sorted()
      least = sorted.first ?? 0
      most = sorted.last ?? 0
      let middle = sorted.count / 2
      median =
        sorted.isEmpty
        ? 0 : sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
  }

  let first: Profile
  let second: Profile
  let times: (first: Times, second: Times)
  let runs: Int

  /// Nil unless two schedulers ran the program.
  init?(_ profiles: [Profile]) {
    guard profiles.count == 2, let one = profiles[0].outcome, let other = profiles[1].outcome,
      !one.pairs.isEmpty, !other.pairs.isEmpty
    else { return nil }
    (first, second) = (profiles[0], profiles[1])
    times = (Times(one.pairs), Times(other.pairs))
    runs = min(one.pairs.count, other.pairs.count)
  }

  /// All runs of one took longer than all of the other.
  var isApart: Bool {
    times.first.most < times.second.least || times.second.most < times.first.least
  }

  private var secondIsSlower: Bool { times.second.median > times.first.median }
  private var slower: Profile { secondIsSlower ? second : first }
  private var faster: Profile { secondIsSlower ? first : second }

  /// Who took longer, and what most of the difference is.
  var sentence: String {
    let (long, short) = secondIsSlower ? (times.second, times.first) : (times.first, times.second)
    let medians =
      "\(Self.time(long.median)) against \(Self.time(short.median)), medians of \(runs) runs "
      + "without the recording"
    guard isApart, short.median > 0 else {
      return "Neither is established to be faster: \(slower.scheduler) took \(medians), and the "
        + "runs of the two overlap; `bench compare` decides in pairs."
    }
    let ratio = UnitFormatter.significant(Double(long.median) / Double(short.median))
    return "\(slower.scheduler) took \(ratio) times as long as \(faster.scheduler) (\(medians))"
      + reason + "."
  }

  /// What the slower one spent the difference on, as far as the recordings can tell.
  private var reason: String {
    if isPerturbed {
      return "; why is not named, since the recording changed a run by more than it may"
    }
    let more = parts.map { part in
      (part: part.part, time: secondIsSlower ? part.second - part.first : part.first - part.second)
    }
    let total = more.reduce(0) { $0 + $1.time }
    guard total > 0, let largest = more.max(by: { $0.time < $1.time }), largest.time > 0 else {
      return "; the recorded runs do not show that difference"
    }
    return "; of the \(ProfileText.time(total)) that its recorded run took longer, "
      + "\(ProfileText.time(largest.time)) is \(ProfileSentence.name(largest.part))"
  }

  /// The recording changed one of the runs too much to say what it hung on.
  private var isPerturbed: Bool {
    ProfileText.isPerturbed(first) || ProfileText.isPerturbed(second)
  }

  /// What each recorded run hung on, where one of the two spent time on it, ns; nothing where the
  /// recording changed a run by more than it may.
  var parts: [(part: RealisedPath.Part, first: Int64, second: Int64)] {
    guard !isPerturbed, let one = first.report.graph?.realisedPath,
      let other = second.report.graph?.realisedPath
    else { return [] }
    return RealisedPath.Part.allCases.compactMap { part in
      one[part] == 0 && other[part] == 0 ? nil : (part, one[part], other[part])
    }
  }

  var table: TextTable {
    var table = TextTable(columns: [
      ("part", .left), (first.scheduler, .right), (second.scheduler, .right),
      ("longer on \(second.scheduler)", .right),
    ])
    func add(_ name: String, _ first: Int64, _ second: Int64) {
      table.rows.append([
        .init(name), .init(ProfileText.time(first)), .init(ProfileText.time(second)),
        .init(ProfileText.change(second - first)),
      ])
    }
    for part in parts { add(ProfileSentence.label(part.part), part.first, part.second) }
    add("makespan", parts.reduce(0) { $0 + $1.first }, parts.reduce(0) { $0 + $1.second })
    return table
  }

  /// The same as pages show it.
  ///
  /// - Parameter file: the file name of the page of the first or the second one, by 0 or 1.
  func page(file: (_ place: Int) -> String) -> PageComparison {
    func side(
      _ profile: Profile, _ times: Times, _ page: String,
      _ parts: [(part: RealisedPath.Part, nanoseconds: Int64)]
    ) -> PageComparison.Side {
      PageComparison.Side(
        scheduler: profile.scheduler, page: page, times: (times.least, times.median, times.most),
        parts: parts)
    }
    let parts = parts
    return PageComparison(
      sentence: sentence,
      first: side(first, times.first, file(0), parts.map { ($0.part, $0.first) }),
      second: side(second, times.second, file(1), parts.map { ($0.part, $0.second) }))
  }

  var json: JSONValue {
    func value(_ times: Times) -> JSONValue {
      .object([
        ("median", .integer(Int(times.median))), ("least", .integer(Int(times.least))),
        ("most", .integer(Int(times.most))),
      ])
    }
    return .object([
      ("sentence", .string(sentence)), ("isApart", .boolean(isApart)),
      ("untraced", .array([value(times.first), value(times.second)])),
    ])
  }

  private static func time(_ nanoseconds: UInt64) -> String {
    ProfileText.time(Int64(clamping: nanoseconds))
  }
}
