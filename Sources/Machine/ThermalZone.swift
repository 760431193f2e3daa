// SPDX-License-Identifier: Apache-2.0

/// A thermometer of the machine, with the temperature above which it is slowed down.
struct ThermalZone: Hashable, Sendable {
  /// What it measures, such as `x86_pkg_temp`.
  var name: String
  /// In thousandths of a degree Celsius.
  var temperature: Int64
  /// The lowest temperature at which the kernel slows the machine down, in thousandths of a degree;
  /// nil when it names none.
  var limit: Int64?

  /// Less than five degrees below the limit, or above it.
  var isHot: Bool { limit.map { temperature > $0 - 5000 } ?? false }

  /// In degrees.
  var text: String { Self.degrees(temperature) }
  /// The limit in degrees.
  var limitText: String { limit.map(Self.degrees) ?? "no limit" }

  /// Every zone that can be read; machines have a few dozen at most.
  static func all(_ files: SystemFiles) -> [ThermalZone] {
    (0..<64).compactMap { number in
      let folder = path(number)
      guard let temperature = files.number(folder + "/temp") else { return nil }
      let limits = (0..<16).compactMap { trip -> Int64? in
        let name = "\(folder)/trip_point_\(trip)"
        guard let kind = files.line(name + "_type"), ["passive", "hot"].contains(kind),
          let limit = files.number(name + "_temp"), limit > 0
        else { return nil }
        return limit
      }
      return ThermalZone(
        name: files.line(folder + "/type") ?? "zone \(number)", temperature: temperature,
        limit: limits.min())
    }
  }

  /// The folder of a zone.
  static func path(_ number: Int) -> String { "/sys/class/thermal/thermal_zone\(number)" }

  private static func degrees(_ thousandths: Int64) -> String {
    "\(decimal(Double(thousandths) / 1000, digits: 0)) °C"
  }
}
