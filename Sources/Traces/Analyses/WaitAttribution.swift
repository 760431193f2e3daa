// SPDX-License-Identifier: Apache-2.0

/// Lays each part of a wait to a cause, in one sweep over the time of the run.
///
/// The state of the workers is the same for everybody who waits at an instant. So the sweep sums up
/// the time of each state, notes the sums when a wait begins, and takes the difference when it
/// ends: the cost does not depend on how many operations wait at a time.
struct WaitAttribution {
  /// A stretch of the wait of an operation.
  struct Query {
    let operation: UInt32
    let begin: Int64
    let end: Int64
  }

  private let trace: Trace
  private let timeline: WorkerTimeline
  private let waits: ReadyWaits
  private let admission: QueueAdmission
  /// Changes of the states of workers: places in `timeline.segments`, by time.
  private let changes: [UInt32]

  init(
    _ trace: Trace, timeline: WorkerTimeline, waits: ReadyWaits, admission: QueueAdmission
  ) {
    self.trace = trace
    self.timeline = timeline
    self.waits = waits
    self.admission = admission
    changes = WorkerCensus.changes(timeline)
  }

  /// Calls `body` once per query, in the order in which they end, with shares that sum to its
  /// length.
  ///
  /// Queries of no length are left out. O(n) for queries, states and events together.
  func sweep(_ queries: [Query], body: (_ query: Int, _ shares: WaitShares) -> Void) {
    // The state of the workers matters from `opens`, when nothing holds the operation itself, until
    // `closes`, when the worker that takes it is on its way.
    var opens: [Int64] = []
    var closes: [Int64] = []
    opens.reserveCapacity(queries.count)
    closes.reserveCapacity(queries.count)
    for query in queries {
      let (open, close) = measured(query)
      opens.append(open)
      closes.append(close)
    }
    let byOpening = TimeOrder.indices(of: opens)
    let byClosing = TimeOrder.indices(of: closes)
    var sums = CauseSums(trace, timeline: timeline, admission: admission, changes: changes)
    let width = CauseSums.width
    var noted = [Int64](repeating: 0, count: queries.count * width)
    var shares = WaitShares()
    var nextOpening = 0
    for closing in byClosing {
      let close = closes[Int(closing)]
      while nextOpening < byOpening.count, opens[Int(byOpening[nextOpening])] <= close {
        let query = Int(byOpening[nextOpening])
        sums.advance(to: opens[query])
        sums.read(slot: slot(of: queries[query])) { noted[query * width + $0] = $1 }
        nextOpening += 1
      }
      let query = Int(closing)
      sums.advance(to: close)
      shares.clear()
      sums.read(slot: slot(of: queries[query])) { place, sum in
        shares[CauseSums.cause(place)] += sum - noted[query * width + place]
      }
      addRest(of: queries[query], opens: opens[query], closes: close, to: &shares)
      body(query, shares)
    }
  }

  /// What of a query is not a matter of the other workers: unknown where there is none.
  private func measured(_ query: Query) -> (opens: Int64, closes: Int64) {
    guard query.end > query.begin else { return (.min, .min) }
    let index = Int(query.operation)
    let held = waits.heldUntil(index, trace.operations[index])
    let opens = min(max(query.begin, held), query.end)
    let room = admission.roomSince.isEmpty ? .min : admission.roomSince[index]
    let closes = max(opens, min(query.end, max(timeline.handoverBegin[index], room)))
    return (opens, closes)
  }

  private func slot(of query: Query) -> Int {
    admission.slot(of: trace.operations[Int(query.operation)].queue)
  }

  /// The parts before and after what the workers decide.
  private func addRest(
    of query: Query, opens: Int64, closes: Int64, to shares: inout WaitShares
  ) {
    let index = Int(query.operation)
    let barrierEnd = min(opens, max(query.begin, waits.barrierEnd(of: index)))
    shares[.barrier] += barrierEnd - query.begin
    let held: WaitCause = trace.operations[index].heldBy == .condition ? .condition : .resource
    shares[held] += opens - barrierEnd
    shares[.handingOver] += query.end - closes
  }
}
