// SPDX-License-Identifier: Apache-2.0

/// What whoever asked should know about a plan before it runs.
package enum PlanNote: Hashable, Sendable {
  /// A reference has no program of its own for a workload.
  case referenceLacks(reference: String, workload: String)
  /// A reference cannot replay graphs.
  case referenceCannotReplay(String)
  /// More workers than CPUs.
  case moreWorkersThanCPUs(workers: Int, cpus: Int)
  /// So many workers replay bodies that spin by the clock, which needs no processor to go on.
  case spinningWorkersTakeTurns(workers: Int, cpus: Int)
  /// What the reader remarked on a graph, with the place.
  case graph(String)
  /// No task of the graph at the path has a duration.
  case noDurations(path: String)
  /// Allocations are counted behind the rounds, in so many children.
  case allocationsAreCounted(children: Int)
  /// The rounds that were asked for take longer than the time, in seconds.
  case roundsExceedTime(rounds: Int, seconds: Double, budget: Duration)
  /// The time that was asked for holds fewer rounds than are ranked, which take so many seconds.
  case timeIsShort(budget: Duration, holds: Int, wanted: Int, seconds: Double)
  /// The rounds that are ranked take longer than the usual time.
  case takesLong(wanted: Int, seconds: Double)
  /// A build cannot measure what another can, and why; it is left out.
  case programLacks(program: String, benchmark: String, contestant: String, why: String)
  /// A build speaks another version of the conversation, nil for none, so that both are measured
  /// process by process.
  case otherConversation(program: String, version: String?)
  /// A build was made by another compiler than this one.
  case otherToolchain(program: String, toolchain: String, own: String)
  /// Packages that a build of a revision depends on by path are as they are now.
  case localDependencies(program: String, folders: [String])
}
