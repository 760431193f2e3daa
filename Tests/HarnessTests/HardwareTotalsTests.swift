// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Testing

@testable internal import Harness

@Suite("What the processor's counters say") struct HardwareTotalsTests {
  /// Calls whose counters say, one reading after the other, what they are told; a descriptor is the
  /// number of the thread.
  private func calls(
    _ readings: [CounterReading] = [], threads: [[Int32]] = [],
    refused: [HardwareEvent: Int32] = [:],
    log: Box<String> = Box([])
  ) -> CounterCalls {
    let (next, lists) = (Box(readings), Box(threads))
    var calls = CounterCalls.system
    calls.open = { event, thread in
      log.put("\(event) \(thread)")
      return refused[event].map { -$0 } ?? thread
    }
    calls.setCounting = { _, _ in }
    calls.close = { log.put("close \($0)") }
    calls.threads = { lists.take() ?? [7] }
    calls.read = { _ in next.take().map { .success($0) } ?? .failure(.failed(EIO)) }
    return calls
  }

  private func reading(_ value: UInt64, of wanted: UInt64, counted: UInt64) -> CounterReading {
    CounterReading(value: value, wantedNanoseconds: wanted, countedNanoseconds: counted)
  }

  private func figure(_ calls: CounterCalls, rounds: Int = 1) -> Result<Double, CounterRefusal>? {
    var totals = HardwareTotals(HardwareCounters(calls))
    for _ in 0..<rounds {
      totals.begin()
      totals.end()
      totals.add(operations: 10)
    }
    return totals.figures.first { $0.event == .instructions }?.figure
  }

  private let alone: [HardwareEvent: Int32] = [.cycles: ENOENT, .cacheMisses: ENOENT]

  @Test func differencesAddUpPerOperation() {
    let readings = [
      reading(100, of: 5, counted: 5), reading(150, of: 9, counted: 9),
      reading(1000, of: 20, counted: 20), reading(1010, of: 21, counted: 21),
    ]
    #expect(figure(calls(readings, refused: alone), rounds: 2) == .success(3))
  }

  @Test func whatWasCountedForSomeOfTheTimeIsNoFigure() {
    let readings = [reading(100, of: 5, counted: 5), reading(150, of: 9, counted: 8)]
    #expect(figure(calls(readings, refused: alone)) == .failure(.shared))
    let never = [reading(0, of: 0, counted: 0), reading(0, of: 0, counted: 0)]
    #expect(figure(calls(never, refused: alone)) == .failure(.shared))
  }

  @Test func whatCannotBeReadIsNoFigureEither() {
    let readings = [reading(100, of: 5, counted: 5)]
    #expect(figure(calls(readings, refused: alone)) == .failure(.failed(EIO)))
  }

  @Test func theCountsOfAllThreadsAreOne() {
    let readings = [
      reading(100, of: 5, counted: 5), reading(10, of: 1, counted: 1),
      reading(150, of: 9, counted: 9), reading(30, of: 1, counted: 1),
    ]
    let both: [[Int32]] = [[7, 8], [7, 8]]
    #expect(figure(calls(readings, threads: both, refused: alone)) == .success(7))
  }

  @Test func whoComesWhileCountersAreOpenedHasThemOpenedAnew() {
    let log = Box<String>([])
    let lists: [[Int32]] = [[7], [7, 8], [7, 8], [7, 8]]
    _ = HardwareCounters(calls(threads: lists, refused: alone, log: log))
    #expect(
      log.all.filter { !$0.hasPrefix("c") } == [
        "instructions 7", "instructions 7", "instructions 8",
      ])
    #expect(log.all.filter { $0.hasPrefix("close") } == ["close 7"])
  }

  @Test func threadsThatNeverRestAreToldOf() {
    let lists = (0..<100).map { [Int32($0)] }
    #expect(figure(calls(threads: lists)) == .failure(.restless))
    #expect(figure(calls(threads: [[Int32]](repeating: [], count: 100))) == .failure(.restless))
  }

  @Test func theFirstEventThatIsRefusedDecides() {
    #expect(HardwareCounters.refusal(calls()) == nil)
    #expect(HardwareCounters.refusal(calls(refused: [.cacheMisses: ENOENT])) == .absent)
    #expect(
      HardwareCounters.refusal(calls(refused: [.instructions: EACCES, .cycles: ENOENT]))
        == .paranoid)
  }
}

/// Values that are taken from the front one by one, and put behind, on one thread.
private final class Box<Value>: @unchecked Sendable {
  private(set) var all: [Value]
  init(_ values: [Value]) { all = values }
  func take() -> Value? { all.isEmpty ? nil : all.removeFirst() }
  func put(_ value: Value) { all.append(value) }
}
