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
    /// Whether operations start strictly in the order in which they were added.
    public let startsInOrder: Bool
    /// What a wait inside one of the queue's operations does.
    public let blockingPolicy: BlockingPolicy

    /// A configuration with a limit that came from outside; without one the scheduler decides.
    ///
    /// Throws `OperationError.invalidLimit` where setting `maxConcurrentOperationCount` would stop
    /// the process.
    public init(
      validating maxConcurrentOperationCount: Int = OperationQueue
        .defaultMaxConcurrentOperationCount,
      name: String? = nil, qualityOfService: QualityOfService = .default,
      isSuspended: Bool = false, startsInOrder: Bool = false,
      blockingPolicy: BlockingPolicy = .automatic
    ) throws(OperationError) {
      guard OperationQueue.isLegal(limit: maxConcurrentOperationCount) else {
        throw .invalidLimit(maxConcurrentOperationCount)
      }
      self.maxConcurrentOperationCount = maxConcurrentOperationCount
      self.name = name
      self.qualityOfService = qualityOfService
      self.isSuspended = isSuspended
      self.startsInOrder = startsInOrder
      self.blockingPolicy = blockingPolicy
    }
  }

  /// A queue with these settings.
  public convenience init(scheduler: any Scheduler, configuration: Configuration) {
    self.init(scheduler: scheduler, startsInOrder: configuration.startsInOrder)
    blockingPolicy = configuration.blockingPolicy
    name = configuration.name
    qualityOfService = configuration.qualityOfService
    maxConcurrentOperationCount = configuration.maxConcurrentOperationCount
    isSuspended = configuration.isSuspended
  }

  /// 0 and above, or "the scheduler decides".
  static func isLegal(limit: Int) -> Bool { limit >= defaultMaxConcurrentOperationCount }
}
