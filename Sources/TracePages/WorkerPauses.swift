// SPDX-License-Identifier: Apache-2.0

internal import Traces

/// The stretches in which a thread ran nothing: asleep, or looking for something to run.
struct WorkerPauses {
  enum Kind: String {
    case parked
    case searching
  }

  struct Pause: Equatable {
    var thread: Int
    var kind: Kind
    var start: Int64
    var end: Int64
  }

  /// By the time at which they end.
  let pauses: [Pause]

  /// A pause whose end no event tells lasts until the recording ends.
  ///
  /// O(events).
  init(_ trace: Trace) {
    var pauses: [Pause] = []
    var parkedSince = [Int64?](repeating: nil, count: trace.threads.count)
    var searchingSince = parkedSince
    func close(_ since: inout Int64?, _ kind: Kind, _ thread: Int, at time: Int64) {
      guard let start = since else { return }
      since = nil
      if time > start {
        pauses.append(Pause(thread: thread, kind: kind, start: start, end: time))
      }
    }
    for event in trace.schedulerEvents where trace.threads.indices.contains(Int(event.thread)) {
      let thread = Int(event.thread)
      switch event.kind {
      case .park:
        close(&searchingSince[thread], .searching, thread, at: event.time)
        parkedSince[thread] = event.time
      case .unpark: close(&parkedSince[thread], .parked, thread, at: event.time)
      case .searchBegins:
        if searchingSince[thread] == nil { searchingSince[thread] = event.time }
      case .searchEnds: close(&searchingSince[thread], .searching, thread, at: event.time)
      case .stop:
        close(&searchingSince[thread], .searching, thread, at: event.time)
        close(&parkedSince[thread], .parked, thread, at: event.time)
      default: break
      }
    }
    for thread in trace.threads.indices {
      let end = trace.header.durationNanoseconds
      close(&searchingSince[thread], .searching, thread, at: end)
      close(&parkedSince[thread], .parked, thread, at: end)
    }
    self.pauses = pauses
  }
}
