// SPDX-License-Identifier: Apache-2.0

/// A program that runs a child inside itself and watches it, such as valgrind.
///
/// The child sees one CPU, whatever this process may use: such a program runs one thread at a time,
/// and what a program allocates for every CPU must not depend on the machine.
package struct ChildWrapper: Sendable {
  /// Path of the program.
  package var path: String
  /// Its arguments before the child's own words.
  package var arguments: [String]
  /// Variables of the child beside those that every child has, as `NAME=VALUE`.
  package var environment: [String]

  /// A wrapper; see the properties.
  package init(path: String, arguments: [String], environment: [String] = []) {
    self.path = path
    self.arguments = arguments
    self.environment = environment
  }
}
