// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import Scheduling
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  @Suite struct QueueObservationTests {
    @Test(.contract(123)) func limitSuspensionAndNameAreTold() {
      let queue = Kind.inline.queue()
      let lines = Lines()
      let tokens = [
        queue.observe(\.maxConcurrentOperationCount) { _, change in
          lines.note("limit \(change.oldValue)→\(change.newValue)")
        },
        queue.observe(\.isSuspended) { _, change in
          lines.note("suspended \(change.oldValue)→\(change.newValue)")
        },
        queue.observe(\.name) { _, change in
          lines.note("name →\(change.newValue ?? "")")
        },
      ]
      queue.maxConcurrentOperationCount = 3
      queue.maxConcurrentOperationCount = 3
      queue.isSuspended = true
      queue.isSuspended = true
      queue.isSuspended = false
      queue.name = "downloads"
      queue.name = "downloads"
      queue.name = nil
      let generated = queue.name ?? ""
      #expect(
        lines.all == [
          "limit -1→3", "suspended false→true", "suspended true→false", "name →downloads",
          "name →\(generated)",
        ])
      withExtendedLifetime(tokens) {}
    }

    @Test(.contract(123), arguments: Kind.each)
    func additionsAndRemovalsAreTold(_ kind: Kind) {
      let queue = kind.queue()
      queue.isSuspended = true
      let lines = Lines()
      @Sendable func names(_ operations: [Operation]) -> String {
        operations.map { $0.name ?? "closure" }.joined(separator: " ")
      }
      func named(_ name: String) -> Operation {
        let operation = TestOperation()
        operation.name = name
        return operation
      }
      queue.addOperation(named("first"))
      queue.addOperation {}
      let tokens = [
        queue.observe(\.operations) { _, change in
          lines.note("[\(names(change.oldValue))]→[\(names(change.newValue))]")
        },
        queue.observe(\.operationCount) { _, change in
          lines.note("\(change.oldValue)→\(change.newValue)")
        },
      ]
      queue.addOperations([named("a"), named("b")], waitUntilFinished: false)
      queue.addBarrierBlock {}
      queue.addOperation {}
      #expect(
        lines.all == [
          "[first closure]→[first closure a b]", "2→4",
          "[first closure a b]→[first closure a b closure]", "4→5",
        ])
      queue.isSuspended = false
      queue.expectQuiet()
      let all = lines.all
      #expect(all.count == 4 + 2 * 5)
      #expect(all.last == "1→0" && all.dropLast().last?.hasSuffix("→[]") == true)
      withExtendedLifetime(tokens) {}
    }

    @Test(.contract(123, 124), arguments: Kind.each)
    func membersAreForgottenWithTheLastObserver(_ kind: Kind) {
      let queue = kind.queue()
      queue.isSuspended = true
      let lines = Lines()
      queue.addOperation(TestOperation())
      do {
        let token = queue.observe(\.operationCount) { _, change in
          lines.note("first \(change.oldValue)→\(change.newValue)")
        }
        queue.addOperation(TestOperation())
        withExtendedLifetime(token) {}
      }
      queue.addOperation(TestOperation())
      let token = queue.observe(\.operationCount) { _, change in
        lines.note("second \(change.oldValue)→\(change.newValue)")
      }
      queue.addOperation(TestOperation())
      #expect(lines.all == ["first 1→2", "second 3→4"])
      queue.isSuspended = false
      queue.expectQuiet()
      #expect(lines.all.count == 6 && lines.all.last == "second 1→0")
      withExtendedLifetime(token) {}
    }

    /// Observers come and go while operations of every kind are added, cancelled and leave.
    @Test(.contract(126), arguments: Kind.pools.filter { $0.workers != 1 })
    func theCountIsUnbrokenWhateverRaces(_ kind: Kind) {
      let queue = kind.queue()
      let rounds = 600 / slowness
      let broken = Lines()
      onThreads(3) { index in
        for round in 0..<rounds {
          if index == 0 {
            let last = Locked<Int?>(nil)
            let lists = Locked<[Operation]?>(nil)
            let tokens = [
              queue.observe(\.operationCount) { _, change in
                let before = last.withLock { last in
                  defer { last = change.newValue }
                  return last
                }
                if change.oldValue == change.newValue
                  || (before ?? change.oldValue) != change.oldValue
                {
                  broken.note("\(before ?? -1): \(change.oldValue)→\(change.newValue)")
                }
              },
              queue.observe(\.operations) { _, change in
                let before = lists.withLock { last in
                  defer { last = change.newValue }
                  return last
                }
                if (before ?? change.oldValue) != change.oldValue { broken.note("operations") }
              },
            ]
            let mine = TestOperation()
            queue.addOperation(mine)
            mine.waitUntilFinished()
            withExtendedLifetime(tokens) {}
          } else if round % 3 == 0 {
            for _ in 0..<5 { queue.addOperation {} }
          } else {
            let operations = (0..<5).map { _ in TestOperation() }
            operations[1].addDependency(operations[0])
            queue.addOperations(operations, waitUntilFinished: false)
            operations[1].cancel()
            operations[2].queuePriority = .high
          }
        }
      }
      queue.expectQuiet()
      #expect(broken.all == [])
      let end = Log()
      let token = queue.observe(\.operationCount) { _, change in end.note(change.newValue) }
      queue.addOperation(TestOperation())
      queue.expectQuiet()
      // A thread that still tells of earlier changes tells these as well, in its time.
      #expect(waitUntil(deadline: patience) { end.values == [1, 0] })
      withExtendedLifetime(token) {}
    }

    @Test(.contract(125, 62)) func waitingForTheQueueInItsObserverIsAFault() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let queue = OperationQueue(scheduler: InlineScheduler())
          queue.name = "downloads"
          let operation = Operation()
          queue.isSuspended = true
          queue.addOperation(operation)
          let token = queue.observe(\.operationCount) { queue, _ in
            queue.waitUntilAllOperationsAreFinished()
          }
          queue.isSuspended = false
          withExtendedLifetime(token) {}
        }
        misuse()
      }
      let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(text.contains("\"downloads\""))
    }

    @Test(.contract(124)) func observingWhatCannotBeObservedIsAFault() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let operation = Operation()
          operation.name = "download"
          _ = operation.observe(\.retainsFinishedDependencies) { _, _ in }
        }
        misuse()
      }
      let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(text.contains("download") && text.contains("isCancelled"))
    }
  }
}
