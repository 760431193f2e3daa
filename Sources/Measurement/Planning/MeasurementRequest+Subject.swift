// SPDX-License-Identifier: Apache-2.0

internal import Harness
package import Results

extension MeasurementRequest {
  /// What measures a figure of a built-in workload again; nil for any other.
  ///
  /// Every parameter of the figure is asked for, so that sizes do not depend on today's defaults.
  package init?(measuring subject: Subject) {
    guard subject.suite == MeasurementGroup.coreSuite,
      let allocator = Allocator(rawValue: subject.allocator)
    else { return nil }
    self.init()
    workloadNames = [subject.benchmark]
    schedulers = [subject.scheduler]
    self.allocator = allocator
    for entry in subject.params.entries {
      switch entry.name {
      case RowParameters.workers: workers = Int(entry.value).map { [$0] }
      case RowParameters.cpus: cpus = Int(entry.value)
      default:
        guard let value = AxisValue(text: entry.value) else { return nil }
        axes.append(AxisSelection(axis: entry.name, values: [value]))
      }
    }
  }
}
