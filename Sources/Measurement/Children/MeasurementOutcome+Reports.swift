// SPDX-License-Identifier: Apache-2.0

internal import Harness
internal import Results

extension MeasurementOutcome {
  /// Takes what a child reports while it iterates; what is wrong with it when it does not belong
  /// there.
  mutating func take(_ report: ChildReport) -> String? {
    switch report {
    case .sample(let sample): iterations.append(sample)
    case .series(let series):
      guard let metric = Metric(rawValue: series.metric), metric.hasManySamples else {
        return "samples of '\(series.metric)'; expected one of "
          + Metric.allCases.filter(\.hasManySamples).map(\.rawValue).joined(separator: ", ")
      }
      samples[metric, default: []] += series.values
    case .value(let value):
      guard let metric = Metric(rawValue: value.metric) else {
        return "unknown metric '\(value.metric)'; expected "
          + Metric.namesExpected
      }
      metrics[metric, default: []].append(value.value)
    case .missing(let missing):
      guard let metric = Metric(rawValue: missing.metric), Metric.ofHardware.contains(metric) else {
        return "'\(missing.metric)' is missing; expected a value, or one of "
          + Metric.ofHardware.map(\.rawValue).joined(separator: ", ")
      }
      self.missing[metric] = missing.reason
    case .ready, .prepared, .done, .failed, .end:
      return "'\(report.line.prefix(120))' amid the samples"
    }
    return nil
  }
}
