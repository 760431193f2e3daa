// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling
import Synchronization

/// The memory of a graph: what its nodes share, the nodes, the successor lists that do not fit in
/// them.
@safe final class GraphArena: Sendable {
  /// Where the `GraphControl` lies.
  let address: UInt
  private let count: Int
  private let sinkCount: Int
  /// Nodes without predecessors, in the order added.
  private let sources: [UInt32]

  init(bodies: [Body], bands: [UInt8], edges: GraphEdges) {
    count = bodies.count
    let stride = MemoryLayout<GraphNode>.stride
    let listed = (0..<count).lazy.map { edges.successors(of: $0).count }
      .filter { $0 > GraphNode.inlineSuccessors }.reduce(0, +)
    address = AlignedMemory.allocate(
      byteCount: GraphControl.byteCount + count * stride + listed * MemoryLayout<Int32>.stride)
    // SAFETY: fresh memory of the size just computed, aligned beyond every need.
    unsafe Self.control(address).initialize(to: GraphControl())
    var list = address + UInt(GraphControl.byteCount + count * stride)
    for node in 0..<count {
      let successors = edges.successors(of: node)
      let word = Self.place(successors, of: node, &list)
      unsafe Self.node(node, address).initialize(
        to: GraphNode(
          body: closureWords(bodies[node].call), control: Self.control(address),
          pending: Atomic(edges.predecessorCounts[node]),
          predecessorCount: edges.predecessorCounts[node],
          successorCount: UInt32(successors.count),
          band: PriorityBand(lowBitsOf: UInt(bands[node])), successors: word))
    }
    sinkCount = (0..<count).count { edges.successors(of: $0).isEmpty }
    sources = edges.predecessorCounts.indices.lazy.filter { edges.predecessorCounts[$0] == 0 }
      .map { UInt32($0) }
  }

  deinit { AlignedMemory.free(address) }

  /// The word for `GraphNode.successors`; `list` is where the next list goes.
  private static func place(
    _ successors: ArraySlice<UInt32>, of node: Int, _ list: inout UInt
  ) -> UInt {
    let distances = successors.lazy.map { Int32(truncatingIfNeeded: Int($0) - node) }
    guard successors.count > GraphNode.inlineSuccessors else {
      var word: UInt = 0
      for (place, distance) in distances.enumerated() {
        word |= UInt(UInt32(bitPattern: distance)) << UInt(32 * place)
      }
      return word
    }
    let start = list
    for distance in distances {
      // SAFETY: `init` has counted the entries of every list.
      unsafe UnsafeMutablePointer<Int32>.at(list).initialize(to: distance)
      list += UInt(MemoryLayout<Int32>.stride)
    }
    return start
  }

  // SAFETY, both: the address of an arena is not null; `node` is below its count.
  private static func control(_ address: UInt) -> UnsafeMutablePointer<GraphControl> {
    unsafe .at(address)
  }
  private static func node(_ node: Int, _ address: UInt) -> UnsafeMutablePointer<GraphNode> {
    unsafe .at(address + UInt(GraphControl.byteCount)) + node
  }

  /// `GraphControl.state`.
  var state: UInt64 {
    // acquire, edge NextRun: who sees that a run has ended sees what it wrote.
    unsafe Self.control(address).pointee.state.load(ordering: .acquiring)
  }

  // MARK: Runs

  /// Takes the arena for a run; the number of the run, or nil while there is another.
  func claim() -> UInt64? {
    let word = state
    guard word & GraphControl.running == 0 else { return nil }
    let number = (word >> GraphControl.numberShift) + 1
    // acquire, edge NextRun: sees the counters as the last run has left them.
    let (won, _) = unsafe Self.control(address).pointee.state.compareExchange(
      expected: word, desired: number << GraphControl.numberShift | GraphControl.running,
      ordering: .acquiring)
    return won ? number : nil
  }

  /// Has the nodes of a run skipped that have not started, unless the run ends or is over; whether
  /// it is cancelled.
  func cancel(_ number: UInt64) -> Bool {
    let running = number << GraphControl.numberShift | GraphControl.running
    let cancelled = running | GraphControl.cancelled
    // acquire and release, edge CancelDecided: before the step that ends the run, or it fails.
    let (won, seen) = unsafe Self.control(address).pointee.state.compareExchange(
      expected: running, desired: cancelled, ordering: .acquiringAndReleasing)
    return won || seen & ~GraphControl.ending == cancelled
  }

  /// Hands the first nodes over; the run may be over when this returns.
  ///
  /// - Parameter isAwaited: the caller will wait for the run and do nothing before.
  func open(_ run: GraphRun, isAwaited: Bool) {
    let control = unsafe Self.control(address)
    unsafe control.pointee.run = UInt(bitPattern: Unmanaged.passRetained(run).toOpaque())
    guard count > 0 else { return unsafe GraphControl.end(control, onWorker: false) }
    // relaxed: the submission publishes it.
    unsafe control.pointee.sinksLeft.store(sinkCount, ordering: .relaxed)
    if isRecording { recordRun() }
    var ready = JobChain()
    for source in sources { unsafe ready.append(GraphNode.job(Self.node(Int(source), address))) }
    if isAwaited, let scheduler = run.scheduler.awaiting {
      scheduler.submitAwaited(ready)
    } else {
      run.scheduler.submit(ready)
    }
  }

  /// Tells the recording of the run's nodes and their edges, and that the sources are ready.
  @inline(never) private func recordRun() {
    if isRecordingAll { unsafe GraphNode.recordRun(Self.node(0, address), count: count) }
    for source in sources {
      let node = unsafe Self.node(Int(source), address)
      EventRings.noteReady(UInt(bitPattern: node))
    }
  }
}
