// SPDX-License-Identifier: Apache-2.0

import Operations

extension CostCase {
  /// Operations that are made of others, and forks.
  static let ofCompositions: [CostCase] = [
    .call("addExecutionBlock", among: "execution blocks") { stage, items, _ in
      let operation = BlockOperation {}
      for _ in 0..<items { operation.addExecutionBlock {} }
      return Pile(
        call: { _ in operation.addExecutionBlock {} },
        end: { stage.queue().addOperations([operation], waitUntilFinished: true) })
    },
    .call("group-addOperation", among: "members of a group") { stage, items, _ in
      let group = GroupOperation()
      for _ in 0..<items { group.addOperation(Empty()) }
      return Pile(
        call: { _ in group.addOperation(Empty()) },
        end: { stage.queue().addOperations([group], waitUntilFinished: true) })
    },
    .whole("group-cancel", of: "members of a group") { stage, items in
      let group = GroupOperation()
      for _ in 0..<items { group.addOperation(Empty()) }
      return Pile(end: {
        group.cancel()
        stage.queue().addOperations([group], waitUntilFinished: true)
      })
    },
    // Ends each in its body: all that is made for a time limit is made and taken back.
    .whole("TimeoutOperation", of: "operations with a time limit", mostBytes: 4096) {
      stage, items in
      let queue = stage.members(0)
      for _ in 0..<items { queue.addOperation(TimeoutOperation(Empty(), within: .seconds(3600))) }
      return Pile(end: { CostStage.drain(queue) })
    },
    .whole("RetryOperation", of: "operations with retries", mostBytes: 4096) { stage, items in
      let queue = stage.members(0)
      for _ in 0..<items {
        queue.addOperation(
          RetryOperation(RetryPolicy(attempts: 2)) { _ in
            ResultOperation { 1 }
          })
      }
      return Pile(end: { CostStage.drain(queue) })
    },
    .whole("ResultOperation", of: "results", mostBytes: 1024) { stage, items in
      let queue = stage.members(0)
      for number in 0..<items { queue.addOperation(ResultOperation { number }) }
      return Pile(end: { CostStage.drain(queue) })
    },
    .call("finish-async", among: "asynchronous operations under way", mostBytes: 1024) {
      stage, items, _ in
      let queue = stage.queue()
      let waiting = (0..<items).map { _ in AsyncOperation { _ in } }
      for operation in waiting { queue.addOperation(operation) }
      return Pile(
        call: { _ in queue.addOperations([AsyncOperation { $0.finish() }], waitUntilFinished: true)
        },
        end: {
          for operation in waiting { operation.finish() }
          queue.waitUntilAllOperationsAreFinished()
        })
    },
    .whole("forkEach", of: "indices", mostBytes: 1) { stage, items in
      let queue = stage.queue()
      return Pile(end: {
        queue.addOperations(
          [BlockOperation { forkEach(0..<items, grain: 1) { _ in } }], waitUntilFinished: true)
      })
    },
  ]
}
