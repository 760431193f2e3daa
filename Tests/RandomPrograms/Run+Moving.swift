// SPDX-License-Identifier: Apache-2.0

import Dispatch
internal import Operations
internal import OperationsFoundation
import Synchronization

extension Run {
  private static let concurrentQueue = DispatchQueue(label: "programs", attributes: .concurrent)
  private static let serialQueue = DispatchQueue(label: "programs in turn")

  /// Moves a queue that has held nothing yet; with operations in it that is a fault.
  func move(_ queue: Int, to place: Step.Place, _ actor: Actor?) {
    guard isAlone.load(ordering: .sequentiallyConsistent),
      !mayHaveBegun.load(ordering: .sequentiallyConsistent),
      let queue = self.queue(queue, actor)
    else { return }
    Self.move(queue, to: place)
    if !Self.isAt(queue, place) { fault("the queue does not say where it was moved to") }
  }

  /// Whether a queue that holds nothing runs what it gets wherever it is moved to; when everything
  /// has ended.
  func canBeMoved(_ queue: OperationQueue, until deadline: UInt64, _ late: Late) -> Bool {
    Step.Place.allCases.allSatisfy { place in
      guard wait(for: queue, until: deadline, late), !late.hasCome else { return false }
      Self.move(queue, to: place)
      return Self.isAt(queue, place) && canBeUsedAgain(queue, until: deadline, late)
    }
  }

  private static func move(_ queue: OperationQueue, to place: Step.Place) {
    queue.underlyingQueue = dispatchQueue(place)
  }

  private static func isAt(_ queue: OperationQueue, _ place: Step.Place) -> Bool {
    queue.underlyingQueue === dispatchQueue(place)
  }

  private static func dispatchQueue(_ place: Step.Place) -> DispatchQueue? {
    switch place {
    case .home: nil
    case .concurrentQueue: concurrentQueue
    case .serialQueue: serialQueue
    }
  }
}
