// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import DispatchReference
import FutexFloor
import Harness
import SwiftTasksReference
import Testing
import Workloads

#if OneTBB
  import OneTBBReference
#endif
#if OpenMP
  import OpenMPReference
#endif

/// One program of one reference system.
struct ProgramUnderTest: Sendable, CustomStringConvertible {
  let reference: ReferenceDescription
  let workload: WorkloadDescription
  let workers: Int

  var description: String { "\(reference.name), \(workload.name), \(workers) workers" }

  /// Every system of this build but Foundation's, which has tests of its own.
  static let references: [ReferenceDescription] = {
    var all: [ReferenceDescription] = [
      .swiftTasks, .dispatchNative, .dispatchSwift, .futexFloor,
    ]
    #if OneTBB
      all += [.oneTBBFlow, .oneTBBTaskGroup]
    #endif
    #if OpenMP
      all += [.openMP]
    #endif
    return all
  }()

  /// The programs of one system at smoke size, with every worker count that it can be given.
  static func all(of reference: ReferenceDescription) -> [ProgramUnderTest] {
    WorkloadCatalog.all.filter { reference.workloads[$0.name] != nil }.flatMap { workload in
      counts(of: reference).map {
        ProgramUnderTest(reference: reference, workload: workload, workers: $0)
      }
    }
  }

  /// Worker counts that the system can be given.
  private static func counts(of reference: ReferenceDescription) -> [Int] {
    switch reference.width {
    case .asked: [1, 2, 4]
    case .fixed(let count): [count]
    case .cpus: [CPUCount.available]
    }
  }
}

@Suite(.serialized) struct ReferenceTests {
  @Test(arguments: ProgramUnderTest.references.map(\.name))
  func everyProgramGivesTheAnswerOfTheSerialReference(name: String) async throws {
    let reference = try #require(ProgramUnderTest.references.first { $0.name == name })
    // One thread of its own for all of them, as in a measured process: some systems use the very
    // threads that run tests, and others remember every thread that ever called them.
    try await withCheckedThrowingContinuation { continuation in
      do {
        try SystemThread.start(name: "reference", stackSize: 8 << 20) {
          continuation.resume(
            with: Result {
              for program in ProgramUnderTest.all(of: reference) { try Self.check(program) }
            })
        }.detach()
      } catch { continuation.resume(throwing: error) }
    }
  }

  private static func check(_ program: ProgramUnderTest) throws {
    let peer = try #require(program.reference.workloads[program.workload.name])
    let parameters = peer.capped(program.workload.parameters(at: .smoke))
    let workload = try peer.make(parameters)
    let builtIn = try program.workload.make(parameters)
    try #require(
      workload.operationsPerIteration == builtIn.operationsPerIteration, "\(program)")
    // Several: later iterations run with threads that exist and memory that was used.
    for _ in 0..<20 {
      var recorder = IterationRecorder()
      try workload.iterate(workers: program.workers, recorder: &recorder)
      try #require(
        recorder.sample(operations: workload.operationsPerIteration) != nil, "\(program)")
      try #require(
        recorder.latencies.isEmpty == !program.workload.metrics.contains("latency"), "\(program)")
    }
  }

  @Test(arguments: ProgramUnderTest.references.map(\.name))
  func everyProgramAndCapNamesAWorkloadAndItsAxis(name: String) throws {
    let reference = try #require(ProgramUnderTest.references.first { $0.name == name })
    #expect(!reference.caveat.isEmpty)
    for (workloadName, program) in reference.workloads {
      let workload = try #require(WorkloadCatalog.all.first { $0.name == workloadName })
      for (axis, limit) in program.cap {
        #expect(try #require(workload.axis(named: axis)).accepts(.number(limit)))
      }
    }
  }
}
