// SPDX-License-Identifier: Apache-2.0

extension Duration {
  /// At most three digits and a unit, cut off: `12.3 s`, `845 ms`, `2.5 min`, `26 h`.
  var rounded: String {
    let seconds = Double(components.seconds) + Double(components.attoseconds) / 1e18
    let units = [(3600.0, "h"), (60, "min"), (1, "s"), (1e-3, "ms"), (1e-6, "µs")]
    let unit = units.first { abs(seconds) >= $0.0 } ?? (1e-9, "ns")
    let value = seconds / unit.0
    let step = abs(value) < 10 ? 100.0 : abs(value) < 100 ? 10 : 1
    let cut = (value * step).rounded(.towardZero) / step
    let text = cut == cut.rounded() ? "\(Int(cut))" : "\(cut)"
    return "\(text) \(unit.1)"
  }
}
