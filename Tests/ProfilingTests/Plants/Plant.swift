// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import Scheduling
import Synchronization
import Traces

/// A program whose operations wait for a reason that is known beforehand.
enum Plant: CaseIterable {
  case wakesNobody, workerHeld, wrongVictim, limitOfOne, barriers, busyNeighbour

  /// What a recording of it has to blame.
  var cause: WaitCause {
    switch self {
    case .wakesNobody: .nobodyAwake
    case .workerHeld: .workerHeld
    case .wrongVictim: .lookingElsewhere
    case .limitOfOne: .limit
    case .barriers: .barrier
    case .busyNeighbour: .operatingSystem
    }
  }

  /// Any scheduler has it: the program is to blame.
  var isOfProgram: Bool { fault == .none }

  private var fault: PlantedScheduler.Fault {
    switch self {
    case .wakesNobody: .wakesNobody
    case .wrongVictim: .searchesWrongVictim
    case .workerHeld, .limitOfOne, .barriers, .busyNeighbour: .none
    }
  }

  private static let body: UInt64 = 20_000

  /// Runs the program, of about so many operations, to its end.
  func run(on scheduler: any Scheduler, operations count: Int) {
    (scheduler as? PlantedScheduler)?.plant(fault)
    let queue = OperationQueue(scheduler: scheduler)
    queue.name = "\(self)"
    switch self {
    case .wakesNobody, .wrongVictim:
      queue.addOperations(Self.bodies(count), waitUntilFinished: false)
    case .limitOfOne:
      queue.maxConcurrentOperationCount = 1
      queue.addOperations(Self.bodies(count), waitUntilFinished: false)
    case .workerHeld:
      // The other worker has to get a processor, which this thread may still have: the more
      // operations, the less that counts.
      Self.runBesideLongOne(3 * count, queue)
    case .barriers:
      for (place, operation) in Self.bodies(count).enumerated() {
        if place % 100 == 99 { queue.addBarrierBlock {} }
        queue.addOperation(operation)
      }
    case .busyNeighbour:
      // The system's account of a thread is read from the thread's first event on.
      queue.addOperations(Self.bodies(8 * scheduler.workerCount), waitUntilFinished: true)
      BusyNeighbour.run {
        queue.addOperations(Self.bodies(count), waitUntilFinished: true)
      }
    }
    queue.waitUntilAllOperationsAreFinished()
  }

  private static func bodies(_ count: Int) -> [BlockOperation] {
    (0..<count).map { _ in BlockOperation { spin(body) } }
  }

  /// One operation has a worker until all the others have run.
  private static func runBesideLongOne(_ count: Int, _ queue: OperationQueue) {
    let hasBegun = Atomic<Bool>(false)
    let left = Atomic<Int>(count)
    queue.addOperation {
      hasBegun.store(true, ordering: .releasing)
      while left.load(ordering: .acquiring) > 0 {}
    }
    while !hasBegun.load(ordering: .acquiring) {}
    let others = (0..<count).map { _ in
      BlockOperation {
        spin(body)
        left.subtract(1, ordering: .releasing)
      }
    }
    queue.addOperations(others, waitUntilFinished: false)
    queue.waitUntilAllOperationsAreFinished()
  }

  static func spin(_ nanoseconds: UInt64) {
    let end = MonotonicTime.nanoseconds() + nanoseconds
    while MonotonicTime.nanoseconds() < end {}
  }
}
