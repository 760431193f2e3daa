// SPDX-License-Identifier: Apache-2.0

package import Harness

/// Whoever can run one child process; tests put a fake in its place.
package protocol ChildMeasuring {
  /// Runs one child to its end or its deadline.
  func measure(_ assignment: Assignment, deadline: Duration) -> MeasurementOutcome
}

extension ChildRunner: ChildMeasuring {
  /// Runs one child with the allocator its assignment names.
  package func measure(_ assignment: Assignment, deadline: Duration) -> MeasurementOutcome {
    run(assignment, deadline: deadline, allocator: assignment.allocator)
  }
}
