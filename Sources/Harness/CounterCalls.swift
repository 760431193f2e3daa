// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Glibc

/// The system calls behind `HardwareCounters`, each with values in and values out.
///
/// Tests put others in their place. Any thread.
package struct CounterCalls: Sendable {
  /// Opens a counter that does not count yet; a descriptor, or the negated error number.
  package var open: @Sendable (HardwareEvent, _ thread: Int32) -> Int32
  /// Lets it count, or not.
  var setCounting: @Sendable (_ descriptor: Int32, Bool) -> Void
  /// What it has seen.
  var read: @Sendable (_ descriptor: Int32) -> Result<CounterReading, CounterRefusal>
  /// Gives it back.
  var close: @Sendable (_ descriptor: Int32) -> Void
  /// The numbers of the threads that the process has, in order; none where nobody knows.
  var threads: @Sendable () -> [Int32]

  /// Stands for the number of the thread that asks.
  static let callingThread: Int32 = 0

  /// Those of the system.
  package static let system = CounterCalls(
    open: { open($0.source, thread: $1) },
    setCounting: { descriptor, counts in
      _ = counts ? shim_counter_start(descriptor) : shim_counter_stop(descriptor)
    },
    read: { descriptor in
      var count = shim_count()
      // SAFETY: the variable lives through the call.
      let error = unsafe shim_counter_read(descriptor, &count)
      guard error == 0 else { return .failure(.failed(error)) }
      return .success(
        CounterReading(
          value: count.value, wantedNanoseconds: count.wanted_ns,
          countedNanoseconds: count.counted_ns))
    },
    close: { _ = Glibc.close($0) },
    threads: listThreads)

  /// Opens a counter of any source, as `open` does.
  package static func open(_ source: CounterSource, thread: Int32) -> Int32 {
    shim_counter_open(source.type, source.config, thread)
  }

  @Sendable private static func listThreads() -> [Int32] {
    var numbers = [Int32](repeating: 0, count: 64)
    while true {
      // SAFETY: the array lives through the call and has so many places.
      let count = unsafe shim_threads(&numbers, Int32(numbers.count))
      guard count > numbers.count else { return numbers.prefix(Int(count)).sorted() }
      numbers = [Int32](repeating: 0, count: 2 * Int(count))
    }
  }
}

/// What a counter has seen, on all its threads together.
struct CounterReading: Hashable, Sendable {
  /// Events.
  var value: UInt64 = 0
  /// For how long it was to count.
  var wantedNanoseconds: UInt64 = 0
  /// For how long it did: less where others had the processor's counters.
  var countedNanoseconds: UInt64 = 0

  static func - (late: Self, early: Self) -> Self {
    Self(
      value: late.value - early.value,
      wantedNanoseconds: late.wantedNanoseconds - early.wantedNanoseconds,
      countedNanoseconds: late.countedNanoseconds - early.countedNanoseconds)
  }

  static func + (some: Self, more: Self) -> Self {
    Self(
      value: some.value + more.value,
      wantedNanoseconds: some.wantedNanoseconds + more.wantedNanoseconds,
      countedNanoseconds: some.countedNanoseconds + more.countedNanoseconds)
  }
}
