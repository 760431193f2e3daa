// SPDX-License-Identifier: Apache-2.0

import DispatchBackend
import OperationsFoundation
import Scheduling
import TestSupport
import Testing

@Suite(.contract(120)) struct UnderlyingQueueTests {
  @Test func operationsRunOnTheQueueThatWasSet() {
    let key = DispatchSpecificKey<Int>()
    let target = DispatchQueue(label: "of the user", attributes: .concurrent)
    target.setSpecific(key: key, value: 7)
    let queue = OperationQueue(scheduler: DispatchScheduler(workers: 4))
    #expect(queue.underlyingQueue == nil)
    queue.underlyingQueue = target
    #expect(queue.underlyingQueue === target)
    let total = Total()
    for _ in 0..<20 { queue.addOperation { total.add(DispatchQueue.getSpecific(key: key) ?? 0) } }
    queue.addBarrierBlock { total.add(DispatchQueue.getSpecific(key: key) ?? 0) }
    queue.waitUntilAllOperationsAreFinished()
    #expect(total.value == 21 * 7)
    queue.underlyingQueue = nil
    #expect(queue.underlyingQueue == nil)
    queue.addOperation { total.add(DispatchQueue.getSpecific(key: key) ?? 1) }
    queue.waitUntilAllOperationsAreFinished()
    #expect(total.value == 21 * 7 + 1)
  }

  private func message(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  }

  @Test func changingItWhileTheQueueIsBusyIsAFault() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let queue = OperationQueue(scheduler: DispatchScheduler(workers: 1))
      queue.name = "downloads"
      queue.isSuspended = true
      queue.addOperation(BlockOperation {})
      queue.underlyingQueue = DispatchQueue(label: "of the user")
    }
    let text = message(result)
    #expect(
      text.contains("\"downloads\"") && text.contains("while it has operations or a barrier (1)"))
  }

  @Test func theMainQueueIsAFault() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      OperationQueue(scheduler: DispatchScheduler(workers: 1)).underlyingQueue = .main
    }
    #expect(message(result).contains("the main queue"))
  }
}
