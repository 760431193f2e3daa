// SPDX-License-Identifier: Apache-2.0

/// Where a back end found the job that it runs next; what recordings show as the source of a start.
@frozen public struct JobOrigin: Equatable, Sendable {
  /// The kind of place.
  @frozen public enum Place: UInt8, Sendable {
    /// The back end does not say.
    case unknown = 0
    /// What the worker holds itself.
    case ownQueue = 1
    /// What all workers share and other threads fill.
    case injector = 2
    /// What another worker held.
    case steal = 3
    /// The job before it on this worker returned it as its successor.
    case successor = 4
    /// The thread that submitted it, or waits for it, runs it in place.
    case inline = 5
    /// The one queue of a scheduler that has one.
    case sharedQueue = 6
    /// What the queue of an operation had kept back; the operation layer says so.
    case readyList = 7
  }

  /// The place, and the victim's index and one above it; 0 for no victim.
  @usableFromInline let word: UInt32

  @inlinable @inline(__always) init(_word: UInt32) { word = _word }

  /// A place without a victim.
  @inlinable @inline(__always) public init(_ place: Place) { word = UInt32(place.rawValue) }

  /// What the worker `victim` held.
  @inlinable @inline(__always) public static func steal(from victim: Int) -> JobOrigin {
    JobOrigin(_word: UInt32(truncatingIfNeeded: victim &+ 1) << 8 | UInt32(Place.steal.rawValue))
  }

  /// The kind of place.
  @inlinable public var place: Place {
    Place(rawValue: UInt8(truncatingIfNeeded: word)) ?? .unknown
  }

  /// The back end does not say.
  @inline(__always) var isUnknown: Bool { UInt8(truncatingIfNeeded: word) == 0 }

  /// The worker it was stolen from; nil for other places.
  @inlinable public var victim: Int? { word >> 8 == 0 ? nil : Int(word >> 8) - 1 }
}
