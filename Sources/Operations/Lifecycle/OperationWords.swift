// SPDX-License-Identifier: Apache-2.0

/// Walks over batches of operations without counting references: the array keeps its members
/// meanwhile.
enum OperationWords {
  /// Calls `body` with each member in order.
  @inline(__always)
  static func forEach(_ operations: [Operation], _ body: (Operation) -> Void) {
    withWords(operations) { words in
      for index in words.indices {
        // SAFETY: the word is the address of a member.
        unsafe Operation.reference(words[index])._withUnsafeGuaranteedRef(body)
      }
    }
  }

  /// Claims all members for one queue, or none and says why (contract 106).
  static func claim(_ operations: [Operation]) throws(OperationError) {
    var failure: OperationError?
    var claimed = 0
    withWords(operations) { words in
      for index in words.indices {
        // SAFETY: as above.
        failure = unsafe Operation.reference(words[index])._withUnsafeGuaranteedRef {
          $0.claimFailure()
        }
        guard failure == nil else { return }
        claimed += 1
      }
    }
    guard let failure else { return }
    for operation in operations[..<claimed] { operation.giveUpClaim() }
    if case .alreadyQueued(let operation, _) = failure,
      operations[..<claimed].contains(where: { $0 === operation })
    {
      throw .listedTwice(operation)
    }
    throw failure
  }

  @inline(__always) static func withWords(_ operations: [Operation], _ body: (Span<UInt>) -> Void) {
    unsafe operations.withUnsafeBufferPointer { buffer in
      // SAFETY: a native array of a class is contiguous and holds one address per element.
      unsafe buffer.withMemoryRebound(to: UInt.self) { words in unsafe body(words.span) }
    }
  }
}
