// SPDX-License-Identifier: Apache-2.0

internal import Analysis
internal import History
internal import Measurement
internal import Results
internal import Statistics

extension CommandLineTool {
  /// `bench history bisect GOOD BAD`: finds the commit in between at which a figure changes.
  ///
  /// GOOD and BAD are measured first: where they do not differ there is nothing to find. Every
  /// commit after that is measured against GOOD, and belongs to the side of the middle of the two
  /// levels on which its whole interval lies.
  func bisect(
    _ request: HistoryRequest, _ all: [HistorySeries], _ store: HistoryStore,
    _ laboratory: HistoryLaboratory
  ) throws(ToolFailure) -> ExitCode {
    let commits = try Self.commits(between: request.commits, store)
    let subject = try Self.subject(all, laboratory.machine)
    var compare = try Self.measuring([subject], request.compare)
    let good = commits[0]
    var search = Bisection(commits: Array(commits.dropFirst()))
    say(
      request,
      "\(search.suspects.count) commits, at most "
        + "\(Bisection.mostSteps(among: search.suspects.count)) measured beside both ends")
    let ends = try laboratory.measure(good, commits[commits.count - 1], compare)
    guard let outcome = ends.results.first?.outcome, let verdict = ends.results.first?.verdict,
      verdict == .slower || verdict == .faster
    else {
      try console.out(report(ends).text(style: style(request.color)))
      try console.out("\nboth ends do not differ for sure: there is nothing to find\n")
      return .inconclusive
    }
    try console.out(
      "\(subject.historyName)\n" + Self.line(commits[commits.count - 1], outcome, "the bad end"))
    compare.comparison.tolerance = Self.halfway(outcome.ratio.ratio)
    var measured = 1
    while let next = search.next {
      let answer = try answer(of: next, good: good, compare, sign: verdict, laboratory)
      if answer != .unknown { measured += 1 }
      search.note(answer, of: next)
      say(request, "\(search.suspects.count) commits left")
    }
    try console.out(conclusion(search, good: good, measured: measured, store))
    return search.suspects.count == 1 ? .success : .inconclusive
  }

  /// On which side of the change a commit lies; one that cannot be built or measured is unknown.
  private func answer(
    of commit: String, good: String, _ compare: CompareRequest, sign: Verdict,
    _ laboratory: HistoryLaboratory
  ) throws(ToolFailure) -> Bisection.Answer {
    let result: PairedResult?
    do throws(ToolFailure) {
      result = try laboratory.measure(good, commit, compare).results.first
    } catch {
      guard error.code != .interrupted else { throw error }
      console.say("bench: \(error)")
      try console.out("  \(short(commit))  cannot be measured: not known\n")
      return .unknown
    }
    guard let outcome = result?.outcome, let verdict = result?.verdict else {
      try console.out("  \(short(commit))  no figure: not known\n")
      return .unknown
    }
    let answer: Bisection.Answer =
      verdict == sign ? .after : verdict == .inconclusive ? .unknown : .before
    let text =
      switch answer {
      case .before: "like the good end"
      case .after: "like the bad end"
      case .unknown: "in between: not known"
      }
    try console.out(Self.line(commit, outcome, text))
    return answer
  }

  private static func line(_ commit: String, _ outcome: PairedOutcome, _ text: String) -> String {
    let ratio = UnitFormatter.fixed(outcome.ratio.ratio, digits: 3)
    let interval = outcome.decidingInterval.map {
      " [\(UnitFormatter.fixed($0.low, digits: 3)), \(UnitFormatter.fixed($0.high, digits: 3))]"
    }
    return "  \(short(commit))  \(ratio)\(interval ?? "")  \(text)\n"
  }

  /// A difference is one from the middle between no difference and that of the ends, on the scale
  /// of ratios; everything on this side of it is as good as none.
  static func halfway(_ ratio: Double) -> Tolerance {
    let difference = (max(ratio, 1 / ratio)).squareRoot() - 1
    return Tolerance(difference: difference, equivalence: difference.nextUp)
  }

  private func conclusion(
    _ search: Bisection, good: String, measured: Int, _ store: HistoryStore
  ) -> String {
    let git = Git(folder: store.folder)
    let named = search.suspects.map { commit in
      "  \(commit) \(git.ask("show", "--no-patch", "--format=%s", commit) ?? "")\n"
    }
    let percent = UnitFormatter.fixed(100 * (1 - 0.005 * Double(measured)), digits: 1)
    let sure = "sure at \(percent) % or more, if the figure changes once between the ends"
    return named.count == 1
      ? "\nthe change is commit\n\(named[0])\(sure)\n"
      : "\nthe change is one of \(named.count) commits\n\(named.joined())\(sure)\n"
  }

  /// The good commit and those after it up to the bad one, oldest first, along first parents.
  private static func commits(between ends: [String], _ store: HistoryStore) throws(ToolFailure)
    -> [String]
  {
    let git = Git(folder: store.folder)
    var full: [String] = []
    for end in ends {
      guard let commit = git.ask("rev-parse", "--verify", "--quiet", "\(end)^{commit}") else {
        throw .usage(
          "history bisect", "`\(end)` is no commit of the repository that holds \(store.folder)",
          expected: "anything that `git rev-parse` takes", next: "fetch it, or check the spelling")
      }
      full.append(commit)
    }
    let answer = git.run(["rev-list", "--reverse", "--first-parent", "\(full[0])..\(full[1])"])
    let between = answer.output.split(separator: "\n").map(String.init)
    guard !between.isEmpty, git.run(["merge-base", "--is-ancestor", full[0], full[1]]).code == 0
    else {
      throw .usage(
        "history bisect", "\(short(full[0])) is no earlier commit than \(short(full[1]))",
        expected: "GOOD to be an ancestor of BAD", next: "exchange them, or name others")
    }
    return [full[0]] + between
  }

  /// The one figure to follow: that of the only benchmark and scheduler among the series.
  private static func subject(_ all: [HistorySeries], _ machine: MachineID) throws(ToolFailure)
    -> Subject
  {
    let names = RunRequest.distinct(all.filter { !$0.isExact }.map(\.name))
    guard names.count == 1, let series = all.last(where: { $0.name == names[0] }) else {
      throw .usage(
        "history bisect", "\(names.count) series to follow", expected: "one",
        next: "choose it with --filter; `bench history show` lists them")
    }
    guard all.contains(where: { $0.key.machineID == machine }) else {
      throw ToolFailure(
        .noBaseline, place: "history bisect",
        finding: "the series is of machine \(series.key.machineID.text)",
        expectation: "this one, \(machine.text), since machines are not compared",
        nextStep: "look for the commit there")
    }
    return series.key.subject
  }

  private func say(_ request: HistoryRequest, _ text: String) {
    if !request.quiet { console.say("bench: \(text)") }
  }
}
