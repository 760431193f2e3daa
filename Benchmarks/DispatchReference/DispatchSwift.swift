// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
package import Harness
internal import NativeGraph
internal import Workloads

extension ReferenceDescription {
  /// libdispatch as Swift programs use it: closures through `async(group:)`, cancellation through
  /// work items.
  package static let dispatchSwift = ReferenceDescription(
    name: "dispatch-swift",
    summary: "libdispatch from Swift: closures through async(group:), DispatchWorkItem to cancel",
    caveat:
      "threads are libdispatch's, as many as CPUs; cancel marks each item, then all still pass",
    width: .cpus,
    workloads: [
      "independent": Program { parameters throws(WorkloadError) in
        try NativeIndependent(on: "dispatch-swift", operations: parameters["n"]) {
          slots, count, _ in
          let group = DispatchGroup()
          let queue = DispatchQueue.global()
          for index in 0..<count { queue.async(group: group) { slots.increment(index) } }
          group.wait()
        }
      },
      "cancel": Program { parameters throws(WorkloadError) in
        try DispatchCancel(operations: parameters["n"])
      },
    ])
}

/// Pending work items behind a suspended queue, cancelled one after the other, as `Cancel` does
/// with operations.
final class DispatchCancel: ReferenceWorkload {
  private let storage: SlotStorage

  init(operations: Int) throws(WorkloadError) {
    storage = try SlotStorage(for: "cancel", count: operations)
  }

  var operationsPerIteration: Int { storage.count }

  func iterate(workers: Int, recorder: inout IterationRecorder) throws(WrongAnswer) {
    let slots = storage.slots
    recorder.begin()
    let group = DispatchGroup()
    let queue = DispatchQueue(label: "dispatch-swift.cancel", attributes: .concurrent)
    queue.suspend()
    var items: [DispatchWorkItem] = []
    items.reserveCapacity(storage.count)
    for index in 0..<storage.count {
      let item = DispatchWorkItem { slots.increment(index) }
      queue.async(group: group, execute: item)
      items.append(item)
    }
    recorder.built()
    for item in items { item.cancel() }
    queue.resume()
    group.wait()
    recorder.ran()
    items = []
    recorder.released()
    if let difference = storage.difference(expected: 0) {
      throw WrongAnswer(
        message: "cancel on dispatch-swift: a cancelled body has run: \(difference)")
    }
  }
}
