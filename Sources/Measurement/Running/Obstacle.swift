// SPDX-License-Identifier: Apache-2.0

package import Harness
internal import Machine

/// What keeps every child of a plan from measuring, found before the first of them fails of it.
package enum Obstacle: Error, Hashable {
  /// No child could have the allocator, and why.
  case allocator(Allocator, reason: String)
  /// The system has not what every child will need.
  case shortage(Shortage)

  /// Looks for one; milliseconds.
  package static func check(_ plan: MeasurementPlan) throws(Obstacle) {
    try check(plan.allocator, workers: plan.groups.flatMap(\.contestants).map(\.workers))
  }

  /// Looks for one; milliseconds.
  package static func check(_ plan: ComparisonPlan) throws(Obstacle) {
    // All sides are alive at once.
    try check(
      plan.allocator,
      workers: plan.groups.map { $0.point.contestants.reduce(0) { $0 + $1.workers } })
  }

  private static func check(_ allocator: Allocator, workers: [Int]) throws(Obstacle) {
    var reason = AllocatorSupport.refusal(of: allocator)
    if reason == nil, allocator == .jemalloc, !AllocatorSupport.isLinkedIn,
      case .failure(let error) = JemallocLibrary.locate()
    {
      reason = error.message
    }
    if let reason { throw .allocator(allocator, reason: reason) }
    if let shortage = Shortage.find(workers: workers.max() ?? 1) { throw .shortage(shortage) }
  }
}
