// SPDX-License-Identifier: Apache-2.0

/// The processor's counters, for every thread that the process has and all that these start.
///
/// Each event has a counter of its own on each thread, which the threads that it starts inherit:
/// many kernels read no group of events that threads inherit. Open counters cost every switch
/// between threads, also while they do not count. A reading is one system call per event and
/// thread. Not for several threads at once.
package struct HardwareCounters {
  /// Readings, or why there is none, in the order of the events.
  typealias Readings = [Result<CounterReading, CounterRefusal>]

  /// How often threads may come and go while counters are opened.
  private static let mostAttempts = 20

  private let calls: CounterCalls
  /// Of each event, a descriptor per thread.
  private let descriptors: [Result<[Int32], CounterRefusal>]

  /// Opens a counter per event and thread, or learns why there is none; none counts yet.
  ///
  /// A thread that comes meanwhile would be counted twice, or not at all; then all are opened anew.
  init(_ calls: CounterCalls) {
    for _ in 0..<Self.mostAttempts {
      let threads = calls.threads()
      let counters = HardwareCounters(calls, of: threads)
      if !threads.isEmpty, calls.threads() == threads {
        self = counters
        return
      }
      counters.close()
    }
    self.calls = calls
    descriptors = HardwareEvent.allCases.map { _ in .failure(.restless) }
  }

  private init(_ calls: CounterCalls, of threads: [Int32]) {
    self.calls = calls
    descriptors = HardwareEvent.allCases.map { event in
      var opened: [Int32] = []
      for thread in threads {
        let descriptor = calls.open(event, thread)
        guard descriptor >= 0 else {
          for other in opened { calls.close(other) }
          return .failure(CounterRefusal(error: -descriptor))
        }
        opened.append(descriptor)
      }
      return .success(opened)
    }
  }

  /// Why the first of the events that cannot be counted cannot; nil when all can.
  ///
  /// Some microseconds; any thread.
  package static func refusal(_ calls: CounterCalls = .system) -> CounterRefusal? {
    let counters = HardwareCounters(calls, of: [CounterCalls.callingThread])
    defer { counters.close() }
    for case .failure(let refusal) in counters.descriptors { return refusal }
    return nil
  }

  /// Whether there is anything to count.
  var canCount: Bool { descriptors.contains { if case .success = $0 { true } else { false } } }

  /// Lets all that can count do so, or not.
  func setCounting(_ counts: Bool) {
    for case .success(let opened) in descriptors {
      for descriptor in opened { calls.setCounting(descriptor, counts) }
    }
  }

  /// Readings of nothing yet, to be read into.
  func emptyReadings() -> Readings { descriptors.map { $0.map { _ in CounterReading() } } }

  /// What every event has so far; allocates nothing.
  ///
  /// - Parameter readings: of `emptyReadings`.
  func read(into readings: inout Readings) {
    for place in descriptors.indices {
      readings[place] = descriptors[place].flatMap { opened in
        var sum = CounterReading()
        for descriptor in opened {
          switch calls.read(descriptor) {
          case .success(let reading): sum = sum + reading
          case .failure(let refusal): return .failure(refusal)
          }
        }
        return .success(sum)
      }
    }
  }

  /// Gives the descriptors back; nothing may be asked afterwards.
  func close() {
    for case .success(let opened) in descriptors {
      for descriptor in opened { calls.close(descriptor) }
    }
  }
}
