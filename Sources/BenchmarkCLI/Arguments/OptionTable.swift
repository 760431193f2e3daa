// SPDX-License-Identifier: Apache-2.0

/// What an option takes.
package enum ValueShape: Sendable {
  /// Nothing: present or absent.
  case flag
  /// Any text that is not empty.
  case text(String)
  /// A regular expression in Swift's syntax.
  case pattern
  /// Names separated by commas.
  case names(String)
  /// Whole numbers separated by commas, each within the range.
  case counts(String, ClosedRange<Int>)
  /// `axis=value` pieces.
  case axes
  /// One of the words; help shows all of them unless they have a name.
  case choice([String], name: String? = nil)
  /// A whole number within the range.
  case count(String, ClosedRange<Int>)
  /// Any whole number of 64 bits without sign.
  case seed
  /// A time span with its unit.
  case duration(ClosedRange<Duration>)
  /// A number greater than zero and finite.
  case factor
  /// A percentage from 0 up, below 100.
  case percentage

  /// What help prints after the option's name; empty for a flag.
  package var placeholder: String {
    switch self {
    case .flag: ""
    case .text(let name): name
    case .pattern: "REGEX"
    case .names, .counts: "LIST"
    case .axes: "AXIS=VALUE"
    case .choice(let words, let name): name ?? words.joined(separator: "|")
    case .count(let name, _): name
    case .seed: "N"
    case .duration: "TIME"
    case .factor: "X"
    case .percentage: "PERCENT"
    }
  }
}

/// One option: the row of the table that parsing, help and errors all come from.
package struct OptionSpecification: Sendable {
  /// What is typed after `--`.
  package let name: OptionName
  /// The verbs that take it.
  package let verbs: [Verb]
  /// What it takes.
  package let shape: ValueShape
  /// May be given more than once, the values adding up; otherwise the last one wins.
  package let repeats: Bool
  /// What it does, for help.
  package let summary: String

  init(
    _ name: OptionName, _ shape: ValueShape, repeats: Bool = false, verbs: [Verb] = [.run],
    _ summary: String
  ) {
    self.name = name
    self.verbs = verbs
    self.shape = shape
    self.repeats = repeats
    self.summary = summary
  }
}

/// Every option of every verb.
package enum OptionTable {
  /// The verbs that measure.
  private static let measuring: [Verb] = [.run, .compare, .check]

  /// The rows, in the order in which help shows them.
  package static let all: [OptionSpecification] = [
    .init(
      .simulate, .flag, verbs: [.replay],
      "schedule the recorded graph in virtual time, and run nothing"),
    .init(
      .policy, .names("NAME"), repeats: true, verbs: [.replay],
      "simulate: lifo, fifo, critical-path, priority, steal-half; default: all of them"),
    .init(
      .overhead, .text("xN"), verbs: [.replay],
      "simulate: what a scheduler takes for an operation, as a factor on what it took in the "
        + "recording; default x1"),
    .init(
      .trace, .text("FILE"), verbs: [.replay],
      "simulate: write the schedule to FILE, as a recording; takes one --workers and one --policy"),
    .init(
      .scheduler, .names("NAME"), verbs: [.profile], "the scheduler that runs the program"),
    .init(
      .against, .text("NAME"), verbs: [.profile],
      "a second scheduler: what differs from operation to operation"),
    .init(
      .trace, .text("FILE"), verbs: [.profile],
      "keep the recording in FILE, which `bench replay` takes"),
    .init(
      .recording, .text("FILE"), verbs: [.profile],
      "run nothing, and say what this recording of a program or of `profile` has"),
    .init(
      .perfetto, .text("FILE"), verbs: [.profile],
      "write the recording as JSON for Perfetto and Chrome's trace viewer, compressed for .gz"),
    .init(
      .output, .text("FOLDER"), verbs: [.profile],
      "write the recording, a page with pictures, an SVG, stacks and a CSV of operations there"),
    .init(
      .detail, .choice(["latency", "full"]), verbs: [.profile],
      "latency records ready, start and finish alone, which costs less and names no cause; default "
        + "full"),
    .init(
      .breakOver, .duration(.milliseconds(1)...Duration.seconds(3_600)), verbs: [.profile],
      "stop recording once an operation has been ready for so long, such as 5ms, so that what led "
        + "to it stays"),
    .init(
      .sched, .flag, verbs: [.profile],
      "also say how long each thread could have run and had no processor, as Linux counts it"),
    .init(
      .perf, .flag, verbs: [.profile],
      "also run the program for 2 s under perf, and say in which functions the processors were"),
    .init(
      .heap, .flag, verbs: [.profile],
      "also run the program with jemalloc's heap profile, and say which functions allocate"),
    .init(
      .suite, .text("NAME|FILE"), verbs: measuring,
      "what a suite selects, one of the names in `bench list` or a JSON file of your own; other "
        + "options replace what it says"),
    .init(.filter, .pattern, verbs: measuring, "only workloads whose name matches"),
    .init(
      .tag, .names("TAG"), repeats: true, verbs: measuring,
      "only workloads that have one of these tags, separated by commas; `bench list` shows them"),
    .init(
      .scheduler, .names("NAME"), repeats: true, verbs: [.replay, .run, .check, .counts],
      "only these schedulers, separated by commas"),
    .init(
      .workers, .counts("N", 1...1024), repeats: true, verbs: [.counts],
      "worker counts, separated by commas; default: 1, since others differ from count to count"),
    .init(
      .scheduler, .names("NAME"), repeats: true, verbs: [.compare],
      "the base, then whom to compare with it, separated by commas"),
    .init(
      .scheduler, .names("NAME"), repeats: true, verbs: [.history],
      "add: only these schedulers, separated by commas"),
    .init(
      .base, .text("REV"), verbs: [.compare],
      "compare this build with that revision of its package, which is built in a worktree and "
        + "kept"),
    .init(
      .base, .text("REV"), verbs: [.check],
      "gate against that revision, which is built in a worktree and kept; default: the merge base "
        + "with the main branch, else HEAD~1"),
    .init(
      .baseline, .text("NAME"), verbs: [.check],
      "gate against a stored baseline of this machine, see `bench baseline`"),
    .init(
      .limits, .text("FILE"), verbs: [.check],
      "limits and tolerances; default .bench-limits beside Package.swift, where there is one"),
    .init(
      .counts, .choice(["on", "off"]), verbs: [.check],
      "gate instructions, atomics and allocations under valgrind as well, which takes minutes; "
        + "default: on against a baseline that has counts"),
    .init(
      .counts, .choice(["on", "off"]), verbs: [.baseline],
      "let save count under valgrind, which takes minutes; default on"),
    .init(
      .requireConclusive, .flag, verbs: [.check],
      "exit code 3 when something is not settled"),
    .init(
      .failOnImprovement, .flag, verbs: [.check], "exit code 4 when something got better"),
    .init(
      .binary, .text("FILE"), repeats: true, verbs: [.compare],
      "compare two executables: --binary OLD --binary NEW"),
    .init(
      .buildOptions, .text("WORDS"), verbs: [.compare, .check, .counts, .history],
      "more options of `swift build` for a revision, such as --build-options='--traits X'"),
    .init(
      .workers, .counts("N", 1...1024), repeats: true,
      verbs: measuring + [.profile, .replay, .history],
      "worker counts, separated by commas; 1..4 is every count, 1..64x2 doubles, N is the number "
        + "of CPUs; default: N (schedulers with a fixed count keep it)"),
    .init(
      .axes, .axes, repeats: true, verbs: measuring + [.profile, .replay, .counts, .history],
      "values of a workload's axis or a scheduler's knob: n=512, or several: spin-us=0,5; of one "
        + "workload or scheduler alone: chain.n=512; so much for each worker: n=512*workers; every "
        + "combination is measured; `bench list` names them"),
    .init(
      .quick, .flag, verbs: [.compare, .history], "small sizes, shorter samples, 20 seconds at most"
    ),
    .init(
      .quick, .flag, verbs: [.profile, .run, .replay], "small sizes, 6 rounds, about 15 seconds"),
    .init(
      .budget, .duration(.milliseconds(100)...Duration.seconds(86_400)),
      verbs: [.run, .replay],
      "time to measure for, such as 60s, 500ms or 5m; divided over the processes, and "
        + "kept, but for the process that runs then; default 80s, with --quick 12s, and 6 rounds "
        + "at least"),
    .init(
      .budget, .duration(.milliseconds(100)...Duration.seconds(86_400)),
      verbs: [.compare, .history],
      "time to measure for, such as 60s or 5m; says beforehand how often a comparison looks; "
        + "default 60s, with --quick 20s, and 20 pairs at least"),
    .init(.quick, .flag, verbs: [.check], "small sizes, shorter samples, about two minutes"),
    .init(
      .budget, .duration(.milliseconds(100)...Duration.seconds(86_400)), verbs: [.check],
      "time to measure for, which is kept; default 10m, with --quick 2m, and 20 pairs of "
        + "everything at least"),
    .init(
      .pairs, .count("N", 1...100_000), verbs: [.compare, .history],
      "take exactly so many pairs and judge them once, whatever the time"),
    .init(
      .metric, .names("NAME"), repeats: true, verbs: [.compare, .history],
      "what to judge, such as cpu; default: what the workload is about"),
    .init(
      .tolerance, .percentage, verbs: [.compare],
      "a smaller difference does not matter; default 1%"),
    .init(
      .equivalence, .percentage, verbs: [.compare],
      "sides certainly closer than this are equivalent; default 3%"),
    .init(
      .seed, .seed, verbs: measuring + [.profile, .replay],
      "seed of the random order; default: a fresh one, printed"),
    .init(
      .processes, .count("N", 1...10_000),
      verbs: [.run, .replay],
      "rounds = processes per scheduler; default 8, with --quick 6; below 6 nobody is ranked"),
    .init(
      .processes, .count("N", 1...100), verbs: [.counts],
      "repetitions of every count, of two processes each; default: 2, and up to 5 where they do "
        + "not settle it"),
    .init(
      .baseline, .text("FILE"), verbs: [.counts],
      "compare with FILE, or record there; default: results/baselines/counts.csv"),
    .init(
      .base, .text("REV"), verbs: [.counts],
      "compare with that revision of this package, built here and counted beside it"),
    .init(
      .record, .flag, verbs: [.counts],
      "make what is counted the baseline of this machine and toolchain"),
    .init(.explain, .flag, verbs: [.counts], "show which functions the instructions are in"),
    .init(
      .full, .flag, verbs: [.selftest],
      "also the workloads and schedulers that are measured on request alone; 10 minutes"),
    .init(
      .budget, .duration(.milliseconds(100)...Duration.seconds(86_400)), verbs: [.selftest],
      "time for the pairs; default 120s, with --full 600s, and 10 pairs of each at least"),
    .init(
      .seed, .seed, verbs: [.selftest], "seed of the random order; default: a fresh one"),
    .init(
      .allocator, .choice(["jemalloc", "system"]),
      verbs: measuring + [.profile, .replay, .history],
      "memory allocator of the measured processes; default jemalloc"),
    .init(
      .allocations, .flag, verbs: [.run],
      "then count allocations and their bytes per operation, of all threads: one process more for "
        + "each scheduler, on top of the budget; needs jemalloc"),
    .init(
      .samples, .flag, verbs: [.run],
      "also write every timed iteration, a row each, beside the CSV (.samples.csv)"),
    .init(
      .cpus, .count("N", 1...1024), verbs: measuring + [.profile, .replay, .history],
      "pin every measured process to N CPUs; default: all"),
    .init(
      .cpus, .count("N", 1...1024), verbs: [.doctor],
      "look at the N CPUs that `run --cpus N` would use; default: all"),
    .init(
      .reference, .names("NAME"), repeats: true,
      "also measure systems with operations of their own, such as foundation"),
    .init(
      .graph, .text("FILE"), repeats: true, verbs: measuring + [.profile],
      "replay a recorded task graph (a file of `record`, WfCommons JSON, build.ninja or its folder, "
        + "Graphviz DOT, a recording of `profile`; - for standard input), or every one of a folder, "
        + "instead of the built-in workloads"),
    .init(
      .timeScale, .factor, verbs: measuring + [.profile, .replay],
      "replay: recorded durations times X; default: 1, or about one second of work where they "
        + "are more than two"),
    .init(
      .body, .choice(["spin", "work"]), verbs: measuring + [.profile, .replay],
      "replay: a task spins until its time is over (default), or does that much CPU work"),
    .init(
      .output, .text("FILE"), verbs: measuring + [.replay],
      "write the CSV to FILE, the machine's description beside it (.env.csv); - for the CSV alone "
        + "on stdout"),
    .init(
      .format, .choice(ReportRequest.Format.allCases.map(\.word), name: "FORMAT"),
      verbs: [.report], "one of the formats below; default text"),
    .init(
      .output, .text("FILE"), verbs: [.report],
      "write there, not to stdout; an existing folder gets a file for each run, such as "
        + "RUN.jmh.json; - for stdout"),
    .init(
      .importing, .text("FILE"), verbs: [.record],
      "make the graph of FILE, of any form that `run --graph` takes, and run nothing; - for "
        + "standard input"),
    .init(
      .output, .text("FILE"), verbs: [.record],
      "write the graph there; default: NAME.csv in this folder, by the folder of the build or the "
        + "file that is imported; - for stdout, with --import"),
    .init(
      .output, .text("FILE"), verbs: [.counts], "write the counts as CSV to FILE"),
    .init(
      .force, .flag,
      verbs: [.profile, .replay, .run, .compare, .check, .counts, .report, .history, .record],
      "let --output replace an existing regular file"),
    .init(.force, .flag, verbs: [.baseline], "let save replace the baseline of that name"),
    .init(
      .format, .choice(["text", "json"]), verbs: [.baseline],
      "what list and show print; default text"),
    .init(
      .format, .choice(RunRequest.Format.allCases.map(\.rawValue)),
      verbs: measuring + [.replay, .counts],
      "what stdout shows; default text"),
    .init(
      .history, .text("FOLDER"), verbs: [.history],
      "folder of the history; default results/history of the package"),
    .init(.filter, .pattern, verbs: [.history], "only series whose name matches"),
    .init(
      .commit, .text("REV"), verbs: [.history], "add: measure this commit; default HEAD"),
    .init(
      .since, .text("COMMIT"), verbs: [.history],
      "scan: only changes after this commit, which its first digits name"),
    .init(
      .seed, .seed, verbs: [.history],
      "scan: seed of the permutations, default 1; else of the random order"),
    .init(
      .format, .choice(HistoryRequest.allFormats), verbs: [.history],
      "scan and show: text, the default, or json; export: otava"),
    .init(.output, .text("FOLDER"), verbs: [.history], "export: write the files there"),
    .init(
      .format, .choice(["text", "json"]), verbs: [.list, .doctor, .selftest, .profile],
      "what stdout shows; default text"),
    .init(
      .check, .text("FILE"), verbs: [.schema],
      "check FILE, or - for stdin, against the registry; exit code 1 when something is wrong"),
    .init(
      .allowDebug, .flag, verbs: measuring + [.profile, .replay, .counts, .history, .selftest],
      "write results of a debug or sanitised build, marked as such"),
    .init(
      .dryRun, .flag, verbs: measuring + [.replay, .selftest],
      "print what would be measured, and measure nothing"),
    .init(
      .color, .choice(["auto", "always", "never"]),
      verbs: [
        .profile, .replay, .run, .compare, .check, .counts, .report, .history, .list, .doctor,
        .selftest,
      ],
      "colour; auto: on a terminal unless NO_COLOR is set"),
    .init(
      .noProgress, .flag, verbs: measuring + [.profile, .replay, .counts, .history, .selftest],
      "no progress line on stderr"),
    .init(
      .quiet, .flag,
      verbs: [
        .profile, .replay, .run, .compare, .check, .counts, .report, .history, .baseline, .selftest,
        .record,
      ],
      "nothing on stderr but errors"),
  ]

  /// The options a verb takes.
  package static func options(of verb: Verb) -> [OptionSpecification] {
    all.filter { $0.verbs.contains(verb) }
  }
}
