// SPDX-License-Identifier: Apache-2.0

internal import Measurement

extension PlanNote {
  /// The note as one line.
  var text: String {
    switch self {
    case .referenceLacks(let reference, let workload): return "\(reference) has no \(workload)"
    case .referenceCannotReplay(let reference): return "\(reference) cannot replay task graphs"
    case .moreWorkersThanCPUs(let workers, let cpus):
      return "--workers \(workers): there \(cpus == 1 ? "is 1 CPU" : "are \(cpus) CPUs"); more "
        + "workers than CPUs take turns"
    case .spinningWorkersTakeTurns(let workers, let cpus):
      return "--workers \(workers): tasks spin until their time is over, also while another one "
        + "has the processor, so that \(workers) workers seem to do the work of \(workers) "
        + "processors on \(cpus); --body work has them compute"
    case .graph(let remark): return remark
    case .noDurations(let path):
      return "\(path): no task has a duration, so efficiency says nothing; expected `duration`, "
        + "in seconds, at the nodes of a DOT file"
    case .allocationsAreCounted(let children):
      return "allocations are counted behind the rounds, in \(RunText.processes(children)) that no "
        + "time is taken of; that comes on top of the budget"
    case .roundsExceedTime(let rounds, let seconds, let budget):
      return "\(rounds) rounds take about \(Self.time(seconds)), more than the "
        + "\(UnitFormatter.duration(budget)) to measure; --processes insists on them"
    case .timeIsShort(let budget, let holds, let wanted, let seconds):
      let held = holds == 0 ? "no whole round" : "about \(RunText.rounds(holds))"
      return "--budget \(UnitFormatter.duration(budget)) holds \(held); "
        + "\(wanted), from which schedulers are ranked, take about \(Self.time(seconds)): "
        + "--budget \(Int(seconds.rounded(.up)))s"
    case .takesLong(let wanted, let seconds):
      return "\(wanted) rounds, from which schedulers are ranked, take about "
        + "\(Self.time(seconds)); --budget sets a limit that is kept"
    case .programLacks(let program, let benchmark, let contestant, let why):
      return "\(benchmark), \(contestant): left out, since \(program) cannot measure it: \(why)"
    case .otherConversation(let program, let version):
      return "\(program) speaks \(version.map { "version \($0)" } ?? "no version") of the "
        + "conversation with measuring processes, so its iterations cannot be steered: both builds "
        + "are measured process by process, each by its own `bench run`"
    case .otherToolchain(let program, let toolchain, let own):
      return "\(program) was built by \(toolchain), this build by \(own): a difference may be the "
        + "compiler's"
    case .localDependencies(let program, let folders):
      return "\(program) was built with \(folders.joined(separator: ", ")) as "
        + "\(folders.count == 1 ? "it is" : "they are") now, not as then"
    }
  }

  private static func time(_ seconds: Double) -> String {
    UnitFormatter.text(seconds * 1e9, unit: "ns")
  }
}
