// SPDX-License-Identifier: Apache-2.0

import OperationsFoundation
import TestSupport
import Testing

/// Foundation's class is an `NSObject`, so programs override its description.
private final class DescribedOperation: Operation, @unchecked Sendable {
  override var description: String { "mine, \(super.description)" }
}

private final class DescribedQueue: OperationQueue, @unchecked Sendable {
  override var description: String { "mine, \(super.description)" }
}

/// Programs written for Foundation, compiled with nothing but their import changed.
struct ProgramTests {
  @Test func namesMeanTheClassesOfThisPackage() {
    #expect(String(reflecting: Operation.self) == "Operations.Operation")
    #expect(String(reflecting: BlockOperation.self) == "Operations.BlockOperation")
    #expect(String(reflecting: OperationQueue.self) == "Operations.OperationQueue")
    #expect(String(reflecting: QualityOfService.self) == "Operations.QualityOfService")
    #expect(Operation.QueuePriority.high.rawValue == 4)
  }

  @Test func descriptionsMayBeOverridden() {
    let (operation, queue) = (DescribedOperation(), DescribedQueue())
    operation.name = "fetch"
    queue.name = "net"
    #expect("\(operation)" == "mine, DescribedOperation \"fetch\" (pending, ready)")
    #expect("\(queue)" == "mine, queue \"net\" (0 operations, no limit)")
    #expect(queue.debugDescription == queue.description)
  }

  @Test func subclassesWithDependenciesGiveTheirResult() {
    let count = countWords(in: ["one two three", "four", "", "five  six"])
    #expect(count.total == 6)
    #expect(count.completions == 104)
  }

  @Test func operationsWithStateOfTheirOwnFinishWhenTheySaySo() {
    #expect(sumOfResponses(to: [1, 2, 3, 4]) == 20)
  }

  @Test func cancelledOperationsWithStateOfTheirOwnFinishWithoutResponse() {
    #expect(sumOfResponses(to: [1, 2, 3, 4], cancelling: [2, 3]) == 10)
  }

  @Test func queuesThatNameNoSchedulerShareOneWithAWorkerPerProcessor() {
    let (first, second) = (OperationQueue(), OperationQueue())
    #expect(first.scheduler === second.scheduler)
    #expect(first.scheduler.workerCount == ProcessInfo.processInfo.activeProcessorCount)
    #expect(first.maxConcurrentOperationCount == OperationQueue.defaultMaxConcurrentOperationCount)
  }

  @Test func currentIsTheQueueInsideAnOperationAndNoneOnOtherThreads() async {
    let queue = OperationQueue()
    let total = Total()
    queue.addOperation { if OperationQueue.current === queue { total.add(1) } }
    let block = BlockOperation {}
    block.completionBlock = { if OperationQueue.current == nil { total.add(10) } }
    queue.addOperation(block)
    await withCheckedContinuation { continuation in
      queue.addBarrierBlock { continuation.resume() }
    }
    #expect(total.value == 11)
  }

  /// Whichever side sets what.
  @Test(.contract(121)) func aQueueReportsTheProgressThatItsCounterHas() {
    func progress(of reporting: any ProgressReporting) -> Progress { reporting.progress }
    let queue = OperationQueue()
    let progress = progress(of: queue)
    queue.progressCounter.totalUnitCount = 4
    #expect(progress.totalUnitCount == 4)
    queue.addOperation {}
    queue.waitUntilAllOperationsAreFinished()
    #expect(progress.completedUnitCount == 1 && progress.fractionCompleted == 0.25)
    progress.totalUnitCount = 2
    #expect(queue.progressCounter.totalUnitCount == 2 && progress.fractionCompleted == 0.5)
    progress.completedUnitCount = 2
    #expect(queue.progressCounter.completedUnitCount == 2 && progress.isFinished)
  }
}
