// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// How important the work is to the user; `default` means "inherit from the queue" (contract 91,
/// 92).
public enum QualityOfService: Int, Sendable, CaseIterable {
  /// Unspecified.
  case `default` = -1
  /// Not visible to the user.
  case background = 9
  /// Long work the user is aware of.
  case utility = 17
  /// The user waits for it.
  case userInitiated = 25
  /// The user interface depends on it.
  case userInteractive = 33

  private static let levels = allCases

  init(index: UInt32) { self = Self.levels[Int(index)] }

  var index: UInt32 { UInt32(Self.levels.firstIndex(of: self) ?? 0) }
}

extension Operation {
  /// `name` as it was set.
  final var storedName: String? { withColdTable { $0.name } ?? nil }

  /// Implements the setter of `completionBlock`.
  final func setCompletionBlock(_ block: (@Sendable () -> Void)?) {
    guard block != nil || hasColdTable else { return }
    lookAtColdTableMade { table in
      let bits = lockState()
      if isSealedForEditor {
        // Too late: the block that was there at the finish is the finisher's (contract 56, 59).
        return unlockState(bits)
      }
      let old = table.completionBlock
      table.completionBlock = block
      noteCompletionBlock(from: old, to: block, bits)
      unlockState(StateChange.setCompletion(bits, block != nil))
      deliverTransitions(bits)
      withExtendedLifetime(old) {}
    }
  }

  /// Whether `dependencies` keeps operations that have finished; true by default (contract 25,
  /// 131).
  ///
  /// With false the operation lets go of them when it finishes, and `dependencies` is empty once it
  /// has started. Takes effect if set before the operation starts. A queue that keeps none sets it
  /// to false when the operation is added; see the queue's property of this name.
  public final var retainsFinishedDependencies: Bool {
    // relaxed: the runner reads it in the word that `begin` acquired.
    get { state.load(ordering: .relaxed) & StateBit.retainsDependencies != 0 }
    set {
      let bits = lockState()
      guard bits & StateBit.started == 0 else { return unlockState(bits) }
      unlockState(StateChange.retainDependencies(bits, newValue))
    }
  }
}
