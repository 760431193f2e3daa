// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import ConcurrencyPrimitives
internal import Traces

/// The clock that events are timed with: which one it is, and how its steps become nanoseconds.
struct EventClock: Sendable {
  /// Both clocks at one moment.
  struct Moment: Sendable, Equatable {
    var ticks: UInt64
    var nanoseconds: UInt64
  }

  /// Two moments some time apart: how long a tick is.
  struct Calibration: Sendable, Equatable {
    var first: Moment
    var last: Moment

    /// Nanoseconds per tick.
    var nanosecondsPerTick: Double {
      Double(last.nanoseconds &- first.nanoseconds) / Double(max(1, last.ticks &- first.ticks))
    }
  }

  let kind: TraceHeader.Clock
  private let atBegin: Calibration

  /// How long a calibration takes.
  private static let calibrationNanoseconds: UInt64 = 5_000_000
  /// Attempts at reading both clocks at one moment, of which the tightest counts.
  private static let attempts = 32

  /// Calibrates the processor's counter if the processor and the system trust it; takes the
  /// monotonic clock otherwise.
  init() {
    self.init(kind: Self.trustsCounter ? .timeStampCounter : .monotonic)
  }

  init(kind: TraceHeader.Clock) {
    self.kind = kind
    atBegin = Self.calibrate(kind)
  }

  var usesCounter: Bool { kind == .timeStampCounter }

  /// The processor says that its counter never stops or changes its step, and Linux keeps time with
  /// it, by itself or through the hypervisor's clock, which is made of it.
  private static var trustsCounter: Bool {
    guard shim_counter_is_invariant() != 0 else { return false }
    return trusts(source: currentSource)
  }

  static func trusts(source: String) -> Bool {
    ["tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter"].contains(source)
  }

  /// The clock source of the kernel, or nothing where it does not say.
  private static var currentSource: String {
    var bytes = [UInt8](repeating: 0, count: 64)
    let path = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
    // SAFETY: the array has as many bytes as the call is told.
    let count = unsafe bytes.withUnsafeMutableBytes { bytes in
      unsafe shim_read_file(path, bytes.baseAddress, UInt64(bytes.count))
    }
    let text = String(decoding: bytes.prefix(Int(max(0, count))), as: UTF8.self)
    return text.split(whereSeparator: \.isWhitespace).first.map(String.init) ?? ""
  }

  private static func calibrate(_ kind: TraceHeader.Clock) -> Calibration {
    let first = moment(kind)
    guard kind == .timeStampCounter else { return Calibration(first: first, last: first) }
    while MonotonicTime.nanoseconds() &- first.nanoseconds < calibrationNanoseconds { spinPause() }
    return Calibration(first: first, last: moment(kind))
  }

  /// Reads both clocks, the counter between two readings of the other that lie close together.
  private static func moment(_ kind: TraceHeader.Clock) -> Moment {
    guard kind == .timeStampCounter else {
      let now = MonotonicTime.nanoseconds()
      return Moment(ticks: now, nanoseconds: now)
    }
    var best = Moment(ticks: 0, nanoseconds: 0)
    var width = UInt64.max
    for _ in 0..<attempts {
      let before = MonotonicTime.nanoseconds()
      let ticks = shim_time_counter()
      let after = MonotonicTime.nanoseconds()
      guard after &- before < width else { continue }
      width = after &- before
      best = Moment(ticks: ticks, nanoseconds: before &+ width / 2)
    }
    return best
  }

  /// Nanoseconds per tick, as far as is known at the beginning.
  var nanosecondsPerTick: Double { usesCounter ? atBegin.nanosecondsPerTick : 1 }

  /// Calibrates again, and says how ticks become nanoseconds.
  func end() -> TickScale {
    guard usesCounter else { return TickScale(nanosecondsPerTick: 1, driftPerNanosecond: 0) }
    return TickScale(from: atBegin, to: Self.calibrate(kind))
  }
}

/// How ticks of a recording become nanoseconds.
struct TickScale: Sendable, Equatable {
  /// Over the whole recording.
  var nanosecondsPerTick: Double
  /// By how much the two calibrations differ, of each nanosecond.
  var driftPerNanosecond: Double

  init(nanosecondsPerTick: Double, driftPerNanosecond: Double) {
    self.nanosecondsPerTick = nanosecondsPerTick
    self.driftPerNanosecond = driftPerNanosecond
  }

  init(from begin: EventClock.Calibration, to end: EventClock.Calibration) {
    let whole = EventClock.Calibration(first: begin.first, last: end.last)
    nanosecondsPerTick = whole.nanosecondsPerTick
    driftPerNanosecond =
      (end.nanosecondsPerTick - begin.nanosecondsPerTick).magnitude / whole.nanosecondsPerTick
  }

  func nanoseconds(_ ticks: UInt64) -> Int64 {
    Int64((Double(ticks) * nanosecondsPerTick).rounded())
  }
}
