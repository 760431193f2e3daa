// SPDX-License-Identifier: Apache-2.0

internal import Harness

#if OneTBB
  internal import OneTBBBackend
  internal import OneTBBReference
#endif
#if OpenMP
  internal import OpenMPReference
#endif

/// What is in the suite only when a library was there at build time, each behind a package trait of
/// the same name.
enum OptionalPeers {
  /// Schedulers of this build.
  static var schedulers: [SchedulerEntry] {
    #if OneTBB
      [
        SchedulerEntry(
          name: "onetbb", summary: "oneTBB's threads, plugged in through the public seam",
          isOnRequest: true
        ) { OneTBBScheduler(workers: $0) }
      ]
    #else
      []
    #endif
  }

  /// Reference systems of this build.
  static var references: [ReferenceDescription] {
    var references: [ReferenceDescription] = []
    #if OneTBB
      references += [.oneTBBFlow, .oneTBBTaskGroup]
    #endif
    #if OpenMP
      references += [.openMP]
    #endif
    return references
  }

  /// What this build lacks.
  static var absences: [AbsentSystem] {
    var absences: [AbsentSystem] = []
    #if !OneTBB
      absences += [
        absence("onetbb", "OneTBB", "oneTBB (libtbb-dev)", isReference: false),
        absence("onetbb-flow", "OneTBB", "oneTBB (libtbb-dev)"),
        absence("onetbb-task-group", "OneTBB", "oneTBB (libtbb-dev)"),
      ]
    #endif
    #if !OpenMP
      absences += [absence("openmp", "OpenMP", "LLVM's OpenMP (libomp-dev)")]
    #endif
    return absences
  }

  private static func absence(
    _ name: String, _ trait: String, _ library: String, isReference: Bool = true
  ) -> AbsentSystem {
    AbsentSystem(
      name: name, isReference: isReference,
      needs: "a build with the package trait \(trait), which needs \(library)",
      remedy: "run scripts/install-packages --peers, then scripts/bench, which turns the trait on")
  }
}
