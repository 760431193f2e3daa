// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import OperationsDiagnosis
import Synchronization
import TestSupport
import Testing

/// Keeps its own state and may forget to say so.
private final class Forgetful: Operation, @unchecked Sendable {
  private let flags = Locked((executing: false, finished: false))
  override var isAsynchronous: Bool { true }
  override var isExecuting: Bool { flags.withLock { $0.executing } }
  override var isFinished: Bool { flags.withLock { $0.finished } }
  override func start() {}

  /// Changes the state without a word.
  func set(executing: Bool, finished: Bool) { flags.withLock { $0 = (executing, finished) } }
}

extension OperationLayer {
  /// What the report says of classes that drive their own state.
  @Suite(.contract(73, 117)) struct AnnouncementStallTests {
    @Test(arguments: Kind.each) func namesTheKeyThatWasNotAnnounced(_ kind: Kind) {
      let (queue, operation) = (kind.queue(), Forgetful())
      queue.addOperation(operation)
      func reason() -> StallReport.Reason? { queue.stallReport()[operation]?.reasons.first }
      #expect(
        waitUntil(deadline: patience) {
          if case .ownStateNotFinished? = reason() { true } else { false }
        })
      let text = queue.stallReport().description
      #expect(
        text.contains("override isFinished") && text.contains("use AsyncOperation")
          && text.contains("didChangeValue(forKey: \"isFinished\")") && !text.contains("finish()"))
      operation.set(executing: false, finished: true)
      #expect(reason() == .finishNotAnnounced)
      #expect(
        queue.stallReport().description.contains(
          "isFinished is true, but that was not announced; call didChangeValue(forKey: \"isFinished\")"
        ))
      operation.didChangeValue(forKey: "isFinished")
      queue.expectQuiet()
    }

    /// Cancelled, and its `start()` does not look: the same advice, which says "or was cancelled".
    @Test(arguments: Kind.each) func cancelledAndNeverFinished(_ kind: Kind) {
      let (queue, operation) = (kind.queue(), Forgetful())
      operation.name = "forgetful"
      operation.cancel()
      queue.addOperation(operation)
      #expect(
        waitUntil(deadline: patience) {
          queue.stallReport().description.contains(", cancelled: executing, start() returned")
        })
      #expect(queue.stallReport().description.contains("or was cancelled"))
      operation.set(executing: false, finished: true)
      operation.didChangeValue(forKey: "isFinished")
      queue.expectQuiet()
    }

    /// Started by hand, without the key that tells the machinery.
    @Test(arguments: Kind.each) func namesTheKeysOfAnOperationStartedByHand(_ kind: Kind) {
      let (queue, byHand, dependent) = (kind.queue(), Forgetful(), TestOperation())
      dependent.addDependency(byHand)
      queue.addOperation(dependent)
      func reason() -> StallReport.Reason? { queue.stallReport()[byHand]?.reasons.first }
      #expect(reason() == .inNoQueue)
      byHand.set(executing: true, finished: false)
      #expect(reason() == .executionNotAnnounced)
      byHand.didChangeValue(forKey: "isExecuting")
      #expect(reason() == .executing)
      byHand.set(executing: false, finished: true)
      #expect(reason() == .finishNotAnnounced)
      byHand.didChangeValue(forKey: "isFinished")
      queue.expectQuiet()
    }

    /// An `AsyncOperation` has `finish()`, and elapsed times have three digits.
    @Test(arguments: Kind.each) func asyncOperationsAreToldToCallFinish(_ kind: Kind) {
      let (queue, operation) = (kind.queue(), TestAsyncOperation())
      queue.addOperation(operation)
      #expect(
        waitUntil(deadline: patience) {
          queue.stallReport().description.contains("something must call finish()")
        })
      let text = queue.stallReport().description
      let elapsed = text.split(separator: "not finished for ").last?.prefix { $0 != ";" } ?? ""
      #expect(elapsed.filter(\.isNumber).count <= 3 && elapsed.contains(" "), "\(elapsed)")
      operation.finish()
      queue.expectQuiet()
    }

    /// An override of `isReady` that forgets `super` does not contradict the message.
    @Test(.contract(14, 38)) func theMessageOfAStartThatWaitsDoesNotSpeakOfItsOwnReadiness() {
      final class Eager: Operation, @unchecked Sendable {
        override var isReady: Bool { true }
      }
      let (eager, dependency) = (Eager(), Operation())
      eager.addDependency(dependency)
      let error = thrown(eager.tryStart)
      let text = "\(error.map { "\($0)" } ?? "nothing")"
      #expect(
        text.contains("cannot start yet: it waits for Operation") && !text.contains("not ready)"))
      dependency.start()
      eager.start()
      #expect(eager.isFinished)
    }
  }
}
