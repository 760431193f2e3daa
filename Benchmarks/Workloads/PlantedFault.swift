// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A fault that a test plants into a workload, to see that the check of the answer finds it.
///
/// The marks of bodies and the edges of graphs ask whether they are the place. In a release build
/// nobody asks: `isPossible` is false, and figures have no part of it. A fault is seen by what the
/// test's own thread runs, by the tasks that it makes and by teams of threads.
final class PlantedFault: Sendable {
  /// What is wrong at the place.
  enum Kind: String, CaseIterable, Sendable {
    /// Nothing: bodies and edges are counted.
    case none
    /// A body leaves no mark, as if it had not run.
    case skippedBody = "skipped-body"
    /// A body leaves its mark twice.
    case doubledBody = "doubled-body"
    /// An operation does not have a predecessor that it should wait for.
    case missingEdge = "missing-edge"
    /// An operation has one and does not wait for it: the number of edges is right, the order is
    /// not.
    case unheededEdge = "unheeded-edge"
  }

  /// The fault of the calling task or thread.
  @TaskLocal static var current: PlantedFault?

  /// Whether this build asks for faults.
  static var isPossible: Bool {
    #if DEBUG
      true
    #else
      false
    #endif
  }

  private let kind: Kind
  private let place: Int
  private let bodyCount = Atomic(0)
  private let edgeCount = Atomic(0)
  /// The job that a scheduler of the test runs.
  private let job = Atomic(-1)
  /// The slot of the predecessor whose edge is missing, and the first job in which that one ran.
  private let predecessor = Atomic(-1)
  private let predecessorJob = Atomic(-1)

  /// A fault at the body or the edge of that number, from 0.
  init(_ kind: Kind, at place: Int = 0) {
    self.kind = kind
    self.place = place
  }

  // relaxed, everywhere: counts; whoever reads a result is ordered after the run.

  /// Bodies that have asked.
  var bodies: Int { bodyCount.load(ordering: .relaxed) }
  /// Edges that have asked.
  var edges: Int { edgeCount.load(ordering: .relaxed) }
  /// Whether the place was come to.
  var hasHappened: Bool {
    switch kind {
    case .none: true
    case .skippedBody, .doubledBody: bodies > place
    case .missingEdge, .unheededEdge: edges > place
    }
  }
  /// The first job that ran the predecessor whose edge is missing; nil when none has.
  var jobOfPredecessor: Int? {
    let number = predecessorJob.load(ordering: .relaxed)
    return number < 0 ? nil : number
  }

  /// The test's scheduler runs the job of that number next.
  func begins(job number: Int) { job.store(number, ordering: .relaxed) }

  /// How often the body with that slot is to leave its mark.
  private func runs(slot: Int) -> Int {
    if slot >= 0, slot == predecessor.load(ordering: .relaxed) {
      _ = predecessorJob.compareExchange(
        expected: -1, desired: job.load(ordering: .relaxed), ordering: .relaxed)
    }
    let number = bodyCount.wrappingAdd(1, ordering: .relaxed).oldValue
    guard number == place else { return 1 }
    return kind == .skippedBody ? 0 : kind == .doubledBody ? 2 : 1
  }

  private func keepsEdge(from slot: Int) -> Bool {
    let number = edgeCount.wrappingAdd(1, ordering: .relaxed).oldValue
    guard kind == .missingEdge || kind == .unheededEdge, number == place else { return true }
    predecessor.store(slot, ordering: .relaxed)
    return false
  }

  // MARK: What workloads ask

  /// How often the body that asks is to run, or to leave its mark: once unless it is the place.
  @inline(__always) static func runs(slot: Int = -1) -> Int {
    #if DEBUG
      current?.runs(slot: slot) ?? 1
    #else
      1
    #endif
  }

  /// Edges that a graph lacks and that count as its own all the same.
  @inline(__always) static var unheededEdges: Int {
    #if DEBUG
      current.map { $0.kind == .unheededEdge && $0.hasHappened ? 1 : 0 } ?? 0
    #else
      0
    #endif
  }

  /// The body of a task, which sees the fault of whoever makes it.
  @inline(__always) static func task(
    _ body: @escaping @Sendable () async throws -> Void
  ) -> @Sendable () async throws -> Void {
    #if DEBUG
      let fault = current
      return { try await $current.withValue(fault, operation: body) }
    #else
      return body
    #endif
  }

  /// Whether an operation is to wait for the predecessor with that slot: yes unless it is the
  /// place.
  @inline(__always) static func keepsEdge(from slot: Int) -> Bool {
    #if DEBUG
      current?.keepsEdge(from: slot) ?? true
    #else
      true
    #endif
  }
}
