// SPDX-License-Identifier: Apache-2.0

package import Operations

extension [Operation] {
  /// Makes `operation` depend on the element at `index`, read without counting a reference.
  ///
  /// An ordinary read retains and releases the element: two read-modify-writes per edge that belong
  /// to the loop. Programs in C++ read a raw pointer there.
  @inline(__always) package func makeDependent(_ operation: Operation, on index: Int) {
    precondition(indices.contains(index))
    guard PlantedFault.keepsEdge(from: index) else { return }
    // SAFETY: the array is not changed meanwhile and keeps the element; an unmanaged reference has
    // the representation of a strong one.
    unsafe withUnsafeBytes { elements in
      let element = unsafe elements.load(
        fromByteOffset: index * MemoryLayout<Element>.stride, as: Unmanaged<Operation>.self)
      unsafe element._withUnsafeGuaranteedRef { operation.addDependency($0) }
    }
  }
}
