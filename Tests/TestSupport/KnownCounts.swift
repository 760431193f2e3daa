// SPDX-License-Identifier: Apache-2.0

package import Scheduling

extension Scheduler {
  /// A count of a scheduler that is known to keep it; stops the tests where it does not.
  package func known(_ counter: KeyPath<SchedulerCounters, Int?>) -> Int {
    guard let count = counters[keyPath: counter] else {
      fatalError(
        "\(Self.self) does not know \(counter); expected one of the counts in its documentation.")
    }
    return count
  }
}
