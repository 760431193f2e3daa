// SPDX-License-Identifier: Apache-2.0

// What lies at an address, of which the caller knows that it is there.

extension Unmanaged {
  /// The object at an address.
  @inlinable @inline(__always) package static func at(_ address: UInt) -> Self {
    unsafe fromOpaque(UnsafeRawPointer(bitPattern: address).unsafelyUnwrapped)
  }
}

extension UnsafeMutablePointer where Pointee: ~Copyable {
  /// The pointer to an address, which is not 0.
  @inlinable @inline(__always) package static func at(_ address: UInt) -> Self {
    unsafe Self(bitPattern: address).unsafelyUnwrapped
  }
}
