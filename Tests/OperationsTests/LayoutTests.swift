// SPDX-License-Identifier: Apache-2.0

import CSystemShims
import Scheduling
import Synchronization
import TestSupport
import Testing

@testable import Operations

struct LayoutTests {
  @Test func storedWordsLieWhereTheRuntimeReadsThem() {
    let operation = BlockOperation {}
    func offset<Value: ~Copyable>(_ field: borrowing Value) -> Int {
      unsafe withUnsafePointer(to: field) { Int(bitPattern: $0) - Int(bitPattern: operation.word) }
    }
    #expect(offset(operation.header) == OperationLayout.header)
    #expect(offset(operation.successors) == 32)
    #expect(offset(operation.state) == 44)
    #expect(offset(operation.edge0) == OperationLayout.edges)
    #expect(offset(operation.edge1) == OperationLayout.edges + 8)
    #expect(offset(operation.edge2) == OperationLayout.edges + 16)
    #expect(offset(operation.dependency0) == OperationLayout.dependencies)
    #expect(offset(operation.dependency2) == OperationLayout.dependencies + 16)
    #expect(operation.word % 16 == 0)
  }

  @Test func closureAndHeaderOfACellLieWhereTheyAreLookedFor() {
    let node = UnsafeMutablePointer<ClosureNode>.allocate(capacity: 1)
    unsafe node.initialize(to: ClosureNode())
    let header = unsafe withUnsafePointer(to: node.pointee.header) {
      unsafe UnsafeRawPointer($0) - UnsafeRawPointer(node)
    }
    let body = unsafe withUnsafeMutablePointer(to: &node.pointee.body) {
      unsafe UnsafeMutableRawPointer($0) - UnsafeMutableRawPointer(node)
    }
    #expect(header == ClosureNode.headerOffset)
    #expect(body == ClosureNode.bodyOffset)
    unsafe node.deinitialize(count: 1)
    unsafe node.deallocate()
  }

  private final class Count: Sendable {
    let value = Atomic<Int>(0)
    // relaxed: one thread does all of it.
    var now: Int { value.load(ordering: .relaxed) }
  }
  private final class Captured: Sendable {
    let deaths: Count
    init(_ deaths: Count) { self.deaths = deaths }
    // relaxed: one thread does all of it.
    deinit { deaths.value.wrappingAdd(1, ordering: .relaxed) }
  }

  /// As words, with another owner or without.
  @Test(arguments: [false, true], [false, true])
  func theClosureOfACellDiesWithTheLastOwner(_ isCancelled: Bool, isShared: Bool) {
    let node = UnsafeMutablePointer<ClosureNode>.allocate(capacity: 1)
    unsafe node.initialize(to: ClosureNode())
    let deaths = Count()
    let runs = Count()
    func body() -> @Sendable () -> Void {
      let captured = Captured(deaths)
      return {
        _ = withExtendedLifetime(captured) { runs.value.wrappingAdd(1, ordering: .relaxed) }
      }
    }
    var other: (@Sendable () -> Void)? = isShared ? body() : nil
    unsafe ClosureNode.prepare(node, other ?? body())
    unsafe ClosureNode.runBody(node, use: 0, isCancelled: isCancelled)
    #expect(runs.now == (isCancelled ? 0 : 1))
    #expect(deaths.now == (isShared ? 0 : 1))
    other?()
    other = nil
    #expect(deaths.now == 1)
    unsafe node.deinitialize(count: 1)
    unsafe node.deallocate()
  }

  @Test func graphNodesFillOneLineAndBeginWithTheirHeader() {
    #expect(MemoryLayout<GraphNode>.stride == 64)
    #expect(MemoryLayout<GraphControl>.stride <= GraphControl.byteCount)
    let node = UnsafeMutablePointer<GraphNode>.allocate(capacity: 1)
    let control = UnsafeMutablePointer<GraphControl>.allocate(capacity: 1)
    unsafe node.initialize(
      to: GraphNode(
        body: closureWords {}, control: control, pending: Atomic(0), predecessorCount: 0,
        successorCount: 0, band: .normal, successors: 0))
    let offset = unsafe withUnsafePointer(to: node.pointee.header) {
      unsafe UnsafeRawPointer($0) - UnsafeRawPointer(node)
    }
    #expect(offset == 0)
    unsafe node.deallocate()
    unsafe control.deallocate()
  }

  @Test func framesOfForksBeginWithTheirHeader() {
    var frame = ForkFrame(closureWords {}, of: .current)
    unsafe withUnsafeMutablePointer(to: &frame) { frame in
      let offset = unsafe withUnsafePointer(to: frame.pointee.header) {
        unsafe UnsafeRawPointer($0) - UnsafeRawPointer(frame)
      }
      #expect(offset == 0)
      #expect(UInt(bitPattern: frame) % 8 == 0)
    }
    #expect(MemoryLayout<ForkFrame>.size <= ForkFrame.size)
    #expect(MemoryLayout<ForkFrame>.alignment <= MemoryLayout<UInt>.alignment)
  }

  @Test func wordsOfAClosureCallIt() {
    var calls = 0
    func call(_ body: () -> Void) { shim_call_closure(closureWords(body)) }
    call { calls += 1 }
    let kept = Body { [calls] in #expect(calls == 1) }
    call(kept.call)
    call { calls += 1 }
    #expect(calls == 2)
  }

  @Test func objectsStayWithinTheirBudget() {
    #expect(class_getInstanceSize(Operation.self) == 112)
    #expect(class_getInstanceSize(BlockOperation.self) == 128)
    #expect(MemoryLayout<ClosureNode>.size <= ClosureNode.cellSize)
    #expect(MemoryLayout<RegistryChunk>.size <= RegistryChunk.blockSize)
  }

  /// However many timed waits expire, one record of them is left on the list.
  @Test(.contract(102)) func pollingLeavesNothingBehind() {
    let operation = Operation()
    for _ in 0..<1_000 { #expect(!operation.wait(timeout: .microseconds(1))) }
    var entry = operation.successors.load(ordering: .relaxed)
    var records = 0
    while entry != SuccessorWord.empty {
      records += 1
      entry = unsafe Operation.record(entry).pointee.link.load(ordering: .relaxed)
    }
    #expect(records == 1)
    operation.start()
    #expect(operation.wait(timeout: .zero))
  }

  /// The long paths are taken by hasExtras operations and queues with extras only.
  @Test(.contract(128)) func nothingIsMadeWhereNobodyObserves() {
    let queue = OperationQueue(scheduler: InlineScheduler())
    let operation = BlockOperation {}
    let dependent = Operation()
    dependent.addDependency(operation)
    queue.addOperation(dependent)
    queue.addOperation(operation)
    queue.addOperation {}
    #expect(dependent.isFinished && !queue.hasExtras)
    for operation in [operation, dependent] {
      #expect(!operation.hasColdTable)
      #expect(operation.state.load(ordering: .relaxed) & StateBit.hasExtras == 0)
    }
    // The flag is one more bit of a word that the queue's policy has brought in.
    let line = unsafe withUnsafePointer(to: queue.policy) { policy in
      unsafe withUnsafePointer(to: queue.extras) { extras in
        Int(bitPattern: extras) - Int(bitPattern: policy)
      }
    }
    #expect(line == 8)
  }

  private func class_getInstanceSize(_ type: AnyClass) -> Int {
    // The instance size is the word at this place of every native class's metadata.
    let metadata = unsafe unsafeBitCast(type, to: UnsafeRawPointer.self)
    return Int(unsafe metadata.load(fromByteOffset: 24, as: UInt32.self))
  }
}
