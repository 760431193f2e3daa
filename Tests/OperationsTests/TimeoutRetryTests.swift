// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  /// Operations that end others in time, and that try again.
  @Suite struct TimeoutRetryTests {
    /// Work that only its cancellation ends.
    private func endless<Success: Sendable>(_: Success.Type) -> ResultOperation<Success> {
      ResultOperation { () async throws -> Success in
        while true { try await Task.sleep(for: .seconds(3_600)) }
      }
    }

    // MARK: Timeouts

    @Test(arguments: Kind.all)
    func whatEndsInTimeKeepsItsResult(_ kind: Kind) throws {
      let queue = kind.queue()
      let value = TimeoutOperation(ResultOperation { 42 }, within: .seconds(3_600))
      let failure = TimeoutOperation(
        ResultOperation { () async throws -> Int in
          await Task.yield()
          throw BodyError()
        }, within: .seconds(3_600))
      let plain = TimeoutOperation(TestOperation(), within: .seconds(3_600))
      let void = TimeoutOperation(ResultOperation { throw BodyError() }, within: .seconds(3_600))
      queue.addOperations([value, failure, plain, void], waitUntilFinished: false)
      queue.expectQuiet()
      #expect(try value.value() == 42)
      #expect(thrown(failure.value) as? BodyError == BodyError())
      try plain.value()
      #expect(thrown(void.value) as? BodyError == BodyError())
    }

    @Test(arguments: Kind.all)
    func whatTakesTooLongIsCancelledAndFails(_ kind: Kind) {
      let queue = kind.queue()
      let wrapped = endless(Int.self)
      let timeout = TimeoutOperation(wrapped, within: .milliseconds(20))
      let dependent = ResultOperation(from: timeout) { $0 }
      queue.addOperations([timeout, dependent], waitUntilFinished: false)
      queue.expectQuiet()
      #expect(wrapped.isCancelled)
      #expect(wrapped.wait(timeout: patience))
      guard case .timedOut(let late, let limit)? = thrown(timeout.value) as? OperationError else {
        Issue.record("\(String(describing: timeout.result))")
        return
      }
      #expect(late === wrapped && limit == .milliseconds(20))
      #expect(caseName(thrown(dependent.value)) == "timedOut")
    }

    /// A body that takes no notice holds its worker; the timeout does not wait for it, nor for a
    /// worker.
    @Test(arguments: Kind.single)
    func workThatTakesNoNoticeIsNotWaitedFor(_ kind: Kind) {
      let queue = kind.queue()
      let gate = Gate()
      let timeout = TimeoutOperation(
        TestOperation { operation in
          _ = waitUntil(deadline: patience) { operation.isCancelled }
          gate.wait()
        }, within: .milliseconds(10))
      queue.addOperation(timeout)
      #expect(timeout.wait(timeout: patience))
      #expect(caseName(thrown(timeout.value)) == "timedOut")
      gate.open()
      queue.expectQuiet()
    }

    @Test(arguments: Kind.all)
    func manyTimeoutsHoldNoThread(_ kind: Kind) {
      let queue = kind.queue()
      let timeouts = (0..<200).map { number in
        TimeoutOperation(endless(Int.self), within: .milliseconds(50 + number % 10))
      }
      queue.addOperations(timeouts, waitUntilFinished: false)
      let other = TestOperation()
      queue.addOperation(other)
      #expect(other.wait(timeout: patience))
      queue.expectQuiet()
      #expect(timeouts.allSatisfy { caseName(thrown($0.value)) == "timedOut" })
    }

    /// The time and the end at the same moment: one of the two endings, whole, and nothing left.
    @Test(arguments: Kind.each)
    func timeoutRacingTheEnd(_ kind: Kind) {
      let queue = kind.queue()
      let lifetimes = LifetimeCounter()
      for round in 0..<(1_000 / slowness + 20) {
        let token = lifetimes.token()
        let timeout = TimeoutOperation(
          ResultOperation { () async -> Int in
            withExtendedLifetime(token) {}
            await Task.yield()
            return round
          }, within: .microseconds(round % 40))
        queue.addOperation(timeout)
        timeout.waitUntilFinished()
        let error = thrown(timeout.value)
        #expect(error == nil || caseName(error) == "timedOut")
      }
      queue.expectQuiet()
      #expect(waitUntil { lifetimes.live == 0 })
    }

    @Test(arguments: Kind.each)
    func cancelledTimeoutsCancelWhatTheyRun(_ kind: Kind) {
      let queue = kind.queue()
      let running = TimeoutOperation(endless(Int.self), within: .seconds(3_600))
      queue.addOperation(running)
      #expect(waitUntil(deadline: patience) { running.isExecuting })
      running.cancel()
      let wrapped = TestOperation()
      let pending = TimeoutOperation(wrapped, within: .seconds(3_600))
      pending.addDependency(Operation())
      queue.addOperation(pending)
      pending.cancel()
      queue.expectQuiet()
      #expect(thrown(running.value) != nil && caseName(thrown(running.value)) != "timedOut")
      #expect(wrapped.isFinished && wrapped.runCount == 0)
      #expect(caseName(thrown(pending.value)) == "cancelled")
    }

    // MARK: Retries

    @Test(arguments: Kind.all)
    func triesUntilItSucceeds(_ kind: Kind) throws {
      let queue = kind.queue()
      for delay in [Duration.zero, .microseconds(200)] {
        let retry = RetryOperation(RetryPolicy(attempts: 10, delay: delay)) { number in
          number % 2 == 0
            ? ResultOperation {
              if number < 4 { throw BodyError(number: number) }
              return number
            }
            : ResultOperation { () async throws -> Int in throw BodyError(number: number) }
        }
        queue.addOperation(retry)
        queue.expectQuiet()
        #expect(try retry.value() == 4)
        #expect(retry.attemptCount == 4)
      }
    }

    /// Also on the only worker.
    @Test(.contract(101, 118), arguments: Kind.all)
    func whatMakesAnAttemptMayWait(_ kind: Kind) {
      let queue = kind.queue()
      let waits = Log()
      let operation = RetryOperation(RetryPolicy(attempts: 3)) { number in
        let other = TestOperation()
        queue.addOperation(other)
        if OperationQueue.current === queue, other.wait(timeout: patience) { waits.note(number) }
        return ResultOperation<Int> { throw Refused() }
      }
      queue.addOperation(operation)
      queue.expectQuiet()
      #expect(waits.values == [1, 2, 3])
    }

    private struct Refused: Error {}

    @Test(arguments: Kind.each)
    func endsWithTheLastErrorAfterTheLastAttemptOrAnotherError(_ kind: Kind) {
      let queue = kind.queue()
      let lifetimes = LifetimeCounter()
      func retry(_ policy: RetryPolicy) -> RetryOperation<Int> {
        let token = lifetimes.token()
        return RetryOperation(policy) { number in
          withExtendedLifetime(token) {}
          return ResultOperation { throw BodyError(number: number) }
        }
      }
      let exhausted = retry(RetryPolicy(attempts: 3))
      let refused = retry(
        RetryPolicy(attempts: 9) { ($0 as? BodyError)?.number ?? 0 < 2 })
      queue.addOperations([exhausted, refused], waitUntilFinished: false)
      queue.expectQuiet()
      #expect(thrown(exhausted.value) as? BodyError == BodyError(number: 3))
      #expect(thrown(refused.value) as? BodyError == BodyError(number: 2))
      #expect(exhausted.attemptCount == 3 && refused.attemptCount == 2)
      #expect(waitUntil { lifetimes.live == 0 })
    }

    @Test(arguments: Kind.each)
    func cancelEndsTheAttemptOrTheWait(_ kind: Kind) {
      let queue = kind.queue()
      let patient = RetryPolicy(
        attempts: 5, delay: .seconds(3_600), largestDelay: .seconds(3_600))
      let waiting = RetryOperation(patient) { number in
        ResultOperation<Int> { throw BodyError(number: number) }
      }
      let made = endless(Int.self)
      let running = RetryOperation(RetryPolicy(attempts: 5)) { _ in made }
      queue.addOperations([waiting, running], waitUntilFinished: false)
      #expect(waitUntil(deadline: patience) { made.isExecuting })
      #expect(!waiting.wait(timeout: .milliseconds(20)))
      queue.cancelAllOperations()
      queue.expectQuiet()
      #expect(thrown(waiting.value) as? BodyError == BodyError(number: 1))
      #expect(thrown(running.value) is CancellationError)
      #expect(waiting.attemptCount == 1 && running.attemptCount == 1)
    }

    @Test(arguments: Kind.each)
    func cancelRacingTheAttempts(_ kind: Kind) {
      let queue = kind.queue()
      let lifetimes = LifetimeCounter()
      for round in 0..<(500 / slowness + 20) {
        let token = lifetimes.token()
        let delay = Duration.microseconds(round % 3 * 20)
        let retry = RetryOperation<Int>(RetryPolicy(attempts: 1_000_000, delay: delay, factor: 1)) {
          _ in
          withExtendedLifetime(token) {}
          return ResultOperation { throw BodyError() }
        }
        onThreads(2) { thread in
          if thread == 0 { return queue.addOperation(retry) }
          _ = waitUntil { retry.attemptCount > round % 3 }
          retry.cancel()
        }
        retry.waitUntilFinished()
        #expect(thrown(retry.value) != nil)
      }
      queue.expectQuiet()
      #expect(waitUntil { lifetimes.live == 0 })
    }

    /// Wrappers are operations with results, so they can be put around each other.
    @Test(arguments: Kind.all)
    func retryOfATimeout(_ kind: Kind) throws {
      let queue = kind.queue()
      let retry = RetryOperation(RetryPolicy(attempts: 3)) { [self] number in
        // The last attempt has all the time that a busy machine may take.
        number < 3
          ? TimeoutOperation(endless(Int.self), within: .milliseconds(30))
          : TimeoutOperation(ResultOperation { number }, within: .seconds(3_600))
      }
      queue.addOperation(retry)
      queue.expectQuiet()
      #expect(try retry.value() == 3)
    }

    @Test func waitsGrowToTheirBoundAndFollowTheSeed() throws {
      let exact = RetryPolicy(
        attempts: 7, delay: .milliseconds(10), factor: 3, largestDelay: .milliseconds(100),
        jitter: 0)
      #expect(exact.waits == [10, 30, 90, 100, 100, 100].map { .milliseconds($0) })
      let one = RetryPolicy(attempts: 50, delay: .seconds(1), factor: 1, jitter: 0.5, seed: 1)
      let same = RetryPolicy(attempts: 50, delay: .seconds(1), factor: 1, jitter: 0.5, seed: 1)
      let other = RetryPolicy(attempts: 50, delay: .seconds(1), factor: 1, jitter: 0.5, seed: 2)
      #expect(one.waits == same.waits && one.waits != other.waits)
      #expect(Set(one.waits).count == 49)
      #expect(one.waits.allSatisfy { (.milliseconds(500)...(.seconds(1))).contains($0) })
      expectInvalid { try RetryPolicy(validatingAttempts: 0) }
      expectInvalid { try RetryPolicy(validatingAttempts: 1, delay: .seconds(-1)) }
      expectInvalid { try RetryPolicy(validatingAttempts: 1, delay: .seconds(61)) }
      expectInvalid { try RetryPolicy(validatingAttempts: 1, factor: 0.5) }
      expectInvalid { try RetryPolicy(validatingAttempts: 1, factor: .nan) }
      expectInvalid { try RetryPolicy(validatingAttempts: 1, jitter: 2) }
    }

    private func expectInvalid(
      _ make: () throws -> RetryPolicy, sourceLocation: SourceLocation = #_sourceLocation
    ) {
      #expect(caseName(thrown(make)) == "invalidRetryPolicy", sourceLocation: sourceLocation)
    }
  }
}
