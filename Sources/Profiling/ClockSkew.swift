// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import ConcurrencyPrimitives
internal import Synchronization

/// How far the counters of the processors are apart, by a handshake with a thread on each.
///
/// The thread here notes its time, asks, and notes it again when the answer is there: the time that
/// the other one has read lies between. Of many questions the tightest bounds count.
enum ClockSkew {
  /// Questions per processor.
  private static let rounds = 200
  /// Processors that are asked at most.
  private static let processors = 64
  /// How long the answers of one processor may take, ns.
  private static let patience: UInt64 = 20_000_000

  /// An upper bound of the difference in ticks; nil when it could not be found.
  static func bound() -> UInt64? {
    let numbers = allowedProcessors
    guard let first = numbers.first else { return nil }
    var worst: UInt64 = 0
    for number in numbers.dropFirst().prefix(processors) {
      guard let bound = bound(from: first, to: number) else { return nil }
      worst = max(worst, bound)
    }
    // The first one stands between: two of the others may be off in opposite directions.
    return numbers.count > 2 ? 2 * worst : worst
  }

  private static var allowedProcessors: [Int] {
    var numbers = [Int32](repeating: 0, count: 1024)
    // SAFETY: the array has as many places as the call is told.
    let count = unsafe numbers.withUnsafeMutableBufferPointer { numbers in
      unsafe shim_allowed_processors(numbers.baseAddress, Int32(numbers.count))
    }
    return numbers.prefix(Int(max(0, count))).map(Int.init)
  }

  private static func bound(from first: Int, to second: Int) -> UInt64? {
    let mailbox = Mailbox()
    let found = Locked<UInt64?>(nil)
    let name = "clock-skew"
    do throws(SystemThreadError) {
      let answering = try SystemThread.start(name: name) {
        ThreadAffinity.restrict(name, to: [second])
        mailbox.answer(rounds)
      }
      defer { answering.join() }
      // Without an asking thread the other one must not wait for a question.
      defer { mailbox.close() }
      let asking = try SystemThread.start(name: name) {
        ThreadAffinity.restrict(name, to: [first])
        let bound = mailbox.ask(rounds, until: MonotonicTime.nanoseconds() &+ patience)
        found.withLock { $0 = bound }
      }
      asking.join()
    } catch {
      return nil
    }
    return found.withLock { $0 }
  }
}

/// Where one thread asks another for its time.
private final class Mailbox: Sendable {
  private static let over = Int.max
  /// The number of the latest question.
  private let question = Padded(Atomic<Int>(0))
  /// The number of the latest question that was answered, and the answer.
  private let answered = Padded(Atomic<Int>(0))
  private let answer = Atomic<UInt64>(0)

  func answer(_ rounds: Int) {
    for round in 1...rounds {
      while true {
        // acquire, edge Asked: the time is read after the question.
        let asked = question.value.load(ordering: .acquiring)
        if asked == Self.over { return }
        if asked >= round { break }
        spinPause()
      }
      answer.store(shim_time_counter(), ordering: .relaxed)  // relaxed: published below.
      // release, edge Answered.
      answered.value.store(round, ordering: .releasing)
    }
  }

  /// The bound of the offset to the other thread; nil when it has answered nothing in time.
  func ask(_ rounds: Int, until deadline: UInt64) -> UInt64? {
    var (low, high) = (Int64.min, Int64.max)
    for round in 1...rounds {
      let before = shim_time_counter()
      question.value.store(round, ordering: .releasing)  // release, edge Asked
      // acquire, edge Answered: the answer is of this question.
      while answered.value.load(ordering: .acquiring) < round {
        if MonotonicTime.nanoseconds() > deadline { return low == .min ? nil : bound(low, high) }
        spinPause()
      }
      let there = answer.load(ordering: .relaxed)  // relaxed: ordered by edge Answered.
      let after = shim_time_counter()
      low = max(low, Int64(bitPattern: there &- after))
      high = min(high, Int64(bitPattern: there &- before))
    }
    return bound(low, high)
  }

  /// No question follows.
  func close() { question.value.store(Self.over, ordering: .releasing) }  // release, edge Asked

  private func bound(_ low: Int64, _ high: Int64) -> UInt64 {
    UInt64(max(low.magnitude, high.magnitude))
  }
}
