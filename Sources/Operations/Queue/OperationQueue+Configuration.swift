// SPDX-License-Identifier: Apache-2.0

public import Scheduling

extension OperationQueue {
  /// What a queue is set to, checked where the values come from instead of where they are used.
  public struct Configuration: Sendable {
    /// Name for diagnostics; nil for a generated one.
    public let name: String?
    /// A legal limit.
    public let maxConcurrentOperationCount: Int
    /// The level of operations that have none of their own.
    public let qualityOfService: QualityOfService
    /// Whether the queue starts nothing until it is resumed.
    public let isSuspended: Bool

    /// A configuration with a limit that came from outside.
    ///
    /// Throws `OperationError.invalidLimit` where setting `maxConcurrentOperationCount` would stop the process.
    public init(
      validating maxConcurrentOperationCount: Int, name: String? = nil,
      qualityOfService: QualityOfService = .default, isSuspended: Bool = false
    ) throws(OperationError) {
      guard OperationQueue.isLegal(limit: maxConcurrentOperationCount) else {
        throw .invalidLimit(maxConcurrentOperationCount)
      }
      self.maxConcurrentOperationCount = maxConcurrentOperationCount
      self.name = name
      self.qualityOfService = qualityOfService
      self.isSuspended = isSuspended
    }
  }

  /// A queue with these settings.
  public convenience init(scheduler: any Scheduler, configuration: Configuration) {
    self.init(scheduler: scheduler)
    name = configuration.name
    qualityOfService = configuration.qualityOfService
    maxConcurrentOperationCount = configuration.maxConcurrentOperationCount
    isSuspended = configuration.isSuspended
  }

  /// 0 and above, or "the scheduler decides".
  static func isLegal(limit: Int) -> Bool { limit >= defaultMaxConcurrentOperationCount }
}
