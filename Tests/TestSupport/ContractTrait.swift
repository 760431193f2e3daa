// SPDX-License-Identifier: Apache-2.0

package import Testing

/// Names the statements of the operation contract that a test or suite shows.
///
/// The numbers are those of `Contract.md` in the documentation of `Operations`. A failure prints
/// them, and `scripts/contract-coverage` reads them from the source: it wants literals.
package struct ContractTrait: TestTrait, SuiteTrait {
  package let statements: [Int]

  package var comments: [Comment] {
    [Comment(rawValue: "contract " + statements.map(String.init).joined(separator: ", "))]
  }
}

extension Trait where Self == ContractTrait {
  /// The test shows these statements of the operation contract.
  package static func contract(_ statements: Int...) -> Self { Self(statements: statements) }
}
