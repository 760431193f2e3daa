// SPDX-License-Identifier: Apache-2.0

extension HdrHistogram {
  /// The range and precision of a histogram, and which figures share a bucket.
  ///
  /// A plain value; any thread. Every method O(1).
  package struct Layout: Sendable, Hashable {
    /// The smallest figure told apart from 0; the buckets are as wide as the power of two below it.
    package let lowestDiscernible: Int64
    /// The largest figure that may be recorded.
    package let highestTrackable: Int64
    /// The decimal digits to which figures are kept, from 1 to 5.
    package let significantDigits: Int
    /// How many counts a histogram of this layout has.
    package let bucketCount: Int

    /// How many buckets of linear steps the first one has before the width doubles.
    package var subBucketCount: Int { 2 << halfMagnitude }
    /// How often the range of the first bucket doubles until it holds the highest figure, plus 1.
    package var doublingCount: Int { (bucketCount >> halfMagnitude) - 1 }

    /// The binary logarithm of the unit.
    private let unitMagnitude: Int
    /// The binary logarithm of half the sub-buckets of a bucket.
    private let halfMagnitude: Int

    /// Nil unless `1 <= lowest`, `2 * lowest <= highest`, `1 <= digits <= 5`, and the unit leaves
    /// room for the digits in 62 bits.
    package init?(lowestDiscernible: Int64, highestTrackable: Int64, significantDigits: Int) {
      guard lowestDiscernible >= 1, highestTrackable / 2 >= lowestDiscernible,
        (1...5).contains(significantDigits)
      else { return nil }
      let largestWithUnit = (0..<significantDigits).reduce(2) { product, _ in product * 10 }
      // The smallest power of two that is not below.
      let magnitude = Int.bitWidth - (largestWithUnit - 1).leadingZeroBitCount
      unitMagnitude = 63 - lowestDiscernible.leadingZeroBitCount
      halfMagnitude = magnitude - 1
      guard unitMagnitude + magnitude <= 62 else { return nil }
      // Doublings of the first bucket until it holds the highest figure.
      let firstBits = unitMagnitude + magnitude
      let highestBits = 64 - highestTrackable.leadingZeroBitCount
      let doublings = max(0, highestBits - firstBits)
      bucketCount = (doublings + 2) << halfMagnitude
      self.lowestDiscernible = lowestDiscernible
      self.highestTrackable = highestTrackable
      self.significantDigits = significantDigits
    }

    /// The index of a figure's bucket; nil for a figure below 0 or beyond the last bucket.
    package func index(of figure: Int64) -> Int? {
      guard figure >= 0 else { return nil }
      let bucket = bucket(of: figure)
      let subBucket = Int(figure >> Int64(bucket + unitMagnitude))
      let index = (bucket << halfMagnitude) + subBucket
      return index < bucketCount ? index : nil
    }

    /// The lowest figure that shares the bucket of this index.
    package func lowestFigure(at index: Int) -> Int64 {
      let (subBucket, shift) = position(index)
      return Int64(subBucket) << Int64(shift)
    }

    /// The highest figure that shares the bucket of this index.
    package func highestFigure(at index: Int) -> Int64 {
      let (_, shift) = position(index)
      // The width minus one first: the last bucket of the largest layout ends where 64 bits do.
      return lowestFigure(at: index) + ((Int64(1) << Int64(shift)) - 1)
    }

    /// The figure in the middle of the bucket of this index.
    package func middleFigure(at index: Int) -> Int64 {
      let (_, shift) = position(index)
      return lowestFigure(at: index) + (Int64(1) << Int64(shift)) / 2
    }

    /// Which doubling of the first bucket holds the figure.
    private func bucket(of figure: Int64) -> Int {
      let mask = ((Int64(2) << Int64(halfMagnitude)) - 1) << Int64(unitMagnitude)
      let bits = 64 - (figure | mask).leadingZeroBitCount
      return bits - unitMagnitude - halfMagnitude - 1
    }

    /// The sub-bucket of an index and the binary logarithm of its width.
    private func position(_ index: Int) -> (subBucket: Int, shift: Int) {
      let half = 1 << halfMagnitude
      let bucket = (index >> halfMagnitude) - 1
      if bucket < 0 { return (index, unitMagnitude) }
      return ((index & (half - 1)) + half, bucket + unitMagnitude)
    }
  }
}
