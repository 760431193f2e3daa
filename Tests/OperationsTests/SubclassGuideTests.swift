// SPDX-License-Identifier: Apache-2.0

import Operations
import Synchronization
import TestSupport
import Testing

// What stands for the user's own code in the snippets.

private func startRequest(_ done: @escaping @Sendable ((any Error)?) -> Void) {
  Task { done(nil) }
}

extension OperationLayer {
  /// The snippets of `Subclassing.md`, word for word.
  @Suite struct SubclassGuideTests {
    final class Request: Operation, @unchecked Sendable {
      private let state = Mutex((executing: false, finished: false))
      override var isAsynchronous: Bool { true }
      override var isExecuting: Bool { state.withLock { $0.executing } }
      override var isFinished: Bool { state.withLock { $0.finished } }

      override func start() {
        guard !isCancelled else { return change(executing: false, finished: true) }
        change(executing: true, finished: false)
        startRequest { _ in self.change(executing: false, finished: true) }
      }

      private func change(executing: Bool, finished: Bool) {
        willChangeValue(forKey: "isExecuting")
        willChangeValue(forKey: "isFinished")
        state.withLock { $0 = (executing, finished) }
        didChangeValue(forKey: "isExecuting")
        didChangeValue(forKey: "isFinished")
      }
    }

    final class Upload: Operation, @unchecked Sendable {
      private let online = Atomic<Bool>(false)
      override var isReady: Bool { super.isReady && online.load(ordering: .acquiring) }

      func goOnline() {
        willChangeValue(forKey: "isReady")
        online.store(true, ordering: .releasing)
        didChangeValue(forKey: "isReady")
      }
    }

    final class Copy: Operation, @unchecked Sendable {
      private let count = Atomic<Int>(0)
      var copied: Int { count.load(ordering: .relaxed) }

      override func main() {
        for _ in 1...3 where !isCancelled {
          willChangeValue(for: \.copied)
          count.add(100, ordering: .relaxed)
          didChangeValue(for: \.copied)
        }
      }
    }

    @Test func everySnippetOfThePageIsHere() {
      let (snippets, missing) = Guide.snippets(
        of: "Sources/Operations/Operations.docc/Subclassing.md", in: #filePath)
      #expect(snippets == 4 && missing.isEmpty, "\(missing)")
    }

    /// A reader who knows Foundation's words finds the page.
    @Test func thePageHasTheWordsThatReadersSearchFor() {
      let page = Guide.text(
        of: "Sources/Operations/Operations.docc/Subclassing.md", beside: #filePath)
      for word in [
        "KVO", "KVC", "NSOperation", "NSOperationQueue", "NSInvocationOperation", "NSObject",
      ] {
        #expect(page.contains(word), "\(word)")
      }
    }

    @Test(.contract(55, 63, 65), arguments: Kind.each) func ownState(_ kind: Kind) {
      let queue = kind.queue()
      let (request, cancelled, dependent) = (Request(), Request(), TestOperation())
      let watch = Watch(request)
      cancelled.cancel()
      dependent.addDependency(request)
      queue.addOperations([request, cancelled, dependent], waitUntilFinished: false)
      queue.expectQuiet()
      #expect(request.isFinished && cancelled.isFinished && dependent.runCount == 1)
      // The thread that tells of the start tells of the end, too, when that comes meanwhile.
      let lines = ["executing false→true", "executing true→false", "finished false→true"]
      #expect(waitUntil { watch.lines.all == lines }, "\(watch.lines.all)")
      let byHand = Request()
      byHand.start()
      #expect(byHand.wait(timeout: patience))
    }

    @Test(.contract(38, 40), arguments: Kind.each) func ownReadiness(_ kind: Kind) {
      let (queue, upload, dependency) = (kind.queue(), Upload(), TestOperation())
      upload.addDependency(dependency)
      queue.addOperation(upload)
      upload.goOnline()
      #expect(!upload.isReady && !upload.wait(timeout: .milliseconds(1)))
      queue.addOperation(dependency)
      queue.expectQuiet()
      #expect(upload.isFinished)
    }

    @Test(.contract(122), arguments: Kind.each) func ownProperties(_ kind: Kind) {
      let (queue, seen) = (kind.queue(), Log())
      let copy = Copy()
      let progress = copy.observe(\.copied, options: [.initial, .new]) { copy, change in
        print(copy, change.newValue ?? 0)
      }
      let told = copy.observe(\.copied) { _, change in seen.note(change.newValue) }
      queue.addOperation(copy)
      queue.expectQuiet()
      #expect(seen.values == [100, 200, 300])
      withExtendedLifetime((progress, told)) {}
    }
  }
}
