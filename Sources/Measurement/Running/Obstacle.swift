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
    var reason = AllocatorSupport.refusal(of: plan.allocator)
    if reason == nil, plan.allocator == .jemalloc, !AllocatorSupport.isLinkedIn,
      case .failure(let error) = JemallocLibrary.locate()
    {
      reason = error.message
    }
    if let reason { throw .allocator(plan.allocator, reason: reason) }
    let workers = plan.groups.flatMap(\.contestants).map(\.workers).max() ?? 1
    if let shortage = Shortage.find(workers: workers) { throw .shortage(shortage) }
  }
}
