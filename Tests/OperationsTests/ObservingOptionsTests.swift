// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import Synchronization
import TestSupport
import Testing

/// A subclass with properties of its own, stored and computed.
class Download: Operation, @unchecked Sendable {
  private let amount = Atomic<Int>(0)
  var bytes: Int { amount.load(ordering: .relaxed) }
  func add(_ count: Int) {
    willChangeValue(for: \.bytes)
    amount.add(count, ordering: .relaxed)
    didChangeValue(for: \.bytes)
  }
  override func main() { for _ in 1...3 { add(10) } }
}

extension OperationLayer {
  /// Observing with Foundation's options, and what subclasses add.
  @Suite struct ObservingOptionsTests {
    private func text<Value>(_ value: Value?) -> String { value.map { "\($0)" } ?? "–" }

    @Test(.contract(122), arguments: Kind.each)
    func theOptionsSayWhatIsTold(_ kind: Kind) {
      let expected: [(ObservingOptions, [String])] = [
        ([], ["– –"]), ([.new], ["– true"]), ([.old], ["false –"]), ([.old, .new], ["false true"]),
        ([.initial], ["– –", "– –"]), ([.initial, .new, .old], ["– false", "false true"]),
        ([.prior, .new, .old], ["prior false –", "false true"]),
        ([.prior, .initial], ["– –", "prior – –", "– –"]),
      ]
      for (options, lines) in expected {
        let (queue, operation, seen) = (kind.queue(), TestOperation(), Lines())
        let token = operation.observe(\.isFinished, options: options) { _, change in
          seen.note(
            (change.isPrior ? "prior " : "")
              + "\(self.text(change.oldValue)) \(self.text(change.newValue))")
        }
        if options.contains(.initial) { #expect(seen.all.count == 1) }
        queue.addOperation(operation)
        queue.expectQuiet()
        #expect(seen.all == lines, "\(options)")
        withExtendedLifetime(token) {}
      }
    }

    /// The first value of `dependencies` is what the property says, also once they are not kept.
    @Test(.contract(25, 122), arguments: [false, true])
    func dependenciesThatAreNotKeptAreNoFirstValue(_ retains: Bool) {
      let (operation, dependency, seen) = (AsyncOperation(), Operation(), Lines())
      operation.retainsFinishedDependencies = retains
      operation.addDependency(dependency)
      dependency.start()
      operation.start()
      let token = operation.observe(\.dependencies, options: [.initial, .new]) {
        operation, change in
        seen.note("\(change.newValue == operation.dependencies) \(change.newValue?.count ?? -1)")
      }
      #expect(seen.all == ["true \(retains ? 1 : 0)"])
      operation.finish()
      withExtendedLifetime(token) {}
    }

    /// Every property begins with its value, and a subclass may name it as its own.
    @Test(.contract(122)) func everyPropertyOfAnOperationHasItsFirstValue() {
      let (operation, dependency, seen) = (TestOperation(), Operation(), Lines())
      operation.addDependency(dependency)
      operation.completionBlock = {}
      let options: ObservingOptions = [.initial, .new]
      let tokens = [
        operation.observe(\.isReady, options: options) {
          seen.note("ready \($1.newValue == false)")
        },
        operation.observe(\TestOperation.isCancelled, options: options) {
          seen.note("cancelled \($1.newValue ?? true)")
        },
        operation.observe(\.dependencies, options: options) {
          seen.note("dependencies \($1.newValue?.count ?? -1)")
        },
        operation.observe(\.queuePriority, options: options) {
          seen.note("priority \($1.newValue?.rawValue ?? -1)")
        },
        operation.observe(\.completionBlock, options: options) {
          seen.note("block \($1.newValue.flatMap { $0 } != nil)")
        },
      ]
      let first = [
        "ready true", "cancelled false", "dependencies 1", "priority 0", "block true",
      ]
      #expect(seen.all == first)
      operation.queuePriority = .high
      operation.removeDependency(dependency)
      #expect(seen.all == first + ["priority 4", "dependencies 0", "ready false"])
      withExtendedLifetime(tokens) {}
    }

    @Test(.contract(123), arguments: Kind.each)
    func everyPropertyOfAQueueHasItsFirstValue(_ kind: Kind) {
      let (queue, seen) = (kind.queue(), Lines())
      queue.name = "first"
      queue.isSuspended = true
      queue.addOperation(TestOperation())
      let options: ObservingOptions = [.initial, .new, .old]
      let tokens = [
        queue.observe(\.operations, options: options) {
          seen.note("operations \($1.newValue?.count ?? -1)")
        },
        queue.observe(\.operationCount, options: options) {
          seen.note("count \($1.newValue ?? -1)")
        },
        queue.observe(\.maxConcurrentOperationCount, options: options) {
          seen.note("limit \($1.oldValue ?? 0) \($1.newValue ?? 0)")
        },
        queue.observe(\.isSuspended, options: options) {
          seen.note("suspended \($1.newValue == true)")
        },
        queue.observe(\.name, options: options) {
          seen.note("name \(($1.newValue ?? nil) ?? "–")")
        },
      ]
      let first = ["operations 1", "count 1", "limit 0 -1", "suspended true", "name first"]
      #expect(seen.all == first)
      queue.maxConcurrentOperationCount = 1
      #expect(seen.all == first + ["limit -1 1"])
      queue.name = "second"
      queue.isSuspended = false
      queue.expectQuiet()
      #expect(
        seen.all == first
          + ["limit -1 1", "name second", "suspended false", "operations 0", "count 0"])
      withExtendedLifetime(tokens) {}
    }

    /// The first of the two calls ends the observation.
    @Test(.contract(124)) func anObservationThatEndsBeforeTheChangeIsNotToldTheChange() {
      let (operation, seen) = (Operation(), Log())
      let token = Locked<Observation?>(nil)
      let made = operation.observe(\.isFinished, options: [.prior]) { _, change in
        seen.note(change.isPrior ? 1 : 2)
        token.withLock { $0 }?.invalidate()
      }
      token.withLock { $0 = made }
      operation.start()
      #expect(seen.values == [1])
    }

    @Test(.contract(122), arguments: Kind.each)
    func propertiesThatASubclassAddsAreObserved(_ kind: Kind) {
      let (queue, download, seen) = (kind.queue(), Download(), Lines())
      let tokens = [
        download.observe(\.bytes) { download, change in
          seen.note("\(change.oldValue)→\(change.newValue) of \(type(of: download))")
        },
        download.observe(\.bytes, options: [.initial, .new]) { _, change in
          seen.note("\(change.newValue ?? -1)")
        },
      ]
      #expect(seen.all == ["0"])
      queue.addOperation(download)
      queue.expectQuiet()
      #expect(
        seen.all == [
          "0", "0→10 of Download", "10", "10→20 of Download", "20", "20→30 of Download", "30",
        ])
      withExtendedLifetime(tokens) {}
    }

    /// Announced under the name of the subclass, from several threads.
    @Test(.contract(63), arguments: Kind.each)
    func keyPathsOfTheSubclassAnnounceItsState(_ kind: Kind) {
      final class Own: Operation, @unchecked Sendable {
        private let flags = Locked((executing: false, finished: false))
        /// Set when all of the first change is announced: two changes at once have no order.
        let hasBegun = Locked(false)
        override var isExecuting: Bool { flags.withLock { $0.executing } }
        override var isFinished: Bool { flags.withLock { $0.finished } }
        override func start() {
          change(isCancelled ? (false, true) : (true, false))
          hasBegun.withLock { $0 = true }
        }
        func change(_ new: (executing: Bool, finished: Bool)) {
          willChangeValue(for: \Own.isExecuting)
          willChangeValue(for: \Own.isFinished)
          flags.withLock { $0 = new }
          didChangeValue(for: \Own.isExecuting)
          didChangeValue(for: \Own.isFinished)
        }
      }
      let (queue, own) = (kind.queue(), Own())
      let watch = Watch(own)
      queue.addOperation(own)
      #expect(waitUntil(deadline: patience) { own.hasBegun.withLock { $0 } })
      own.change((false, true))
      queue.expectQuiet()
      #expect(
        watch.lines.all == ["executing false→true", "executing true→false", "finished false→true"])
    }

    @Test func aPropertyThatNobodyAnnouncesIsNamedInTheMessage() async {
      let ofOperation = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) { _ = Operation().observe(\.name) { _, _ in } }
      expect(ofOperation, says: "was asked to observe name;")
      let ofSubclass = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) { _ = BlockOperation().observe(\.threadPriority) { _, _ in } }
      expect(ofSubclass, says: "was asked to observe threadPriority;")
      let ofQueue = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        let queue = Kind.inline.queue()
        _ = queue.observe(\.qualityOfService, options: []) { _, _ in }
      }
      expect(
        ofQueue,
        says: "asked to observe a property of type QualityOfService; observable are operations")
    }
  }
}
