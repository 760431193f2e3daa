// SPDX-License-Identifier: Apache-2.0

/// Orders indices by a time, in linear time.
///
/// A recording has millions of times that all lie within one run. A sort by digits reads each of
/// them a fixed number of times, where a sort by comparison takes twenty.
enum TimeOrder {
  /// The indices of all times that are known, the earliest first; equal times keep their order.
  ///
  /// `.min` stands for an unknown time. There are fewer than 2³² times. O(n) per digit of the
  /// difference between first and last.
  static func indices(of times: [Int64]) -> [UInt32] {
    var indices: [UInt32] = []
    indices.reserveCapacity(times.count)
    var earliest = Int64.max
    var latest = Int64.min
    var isSorted = true
    for (index, time) in times.enumerated() where time != .min {
      if time < latest { isSorted = false }
      earliest = min(earliest, time)
      latest = max(latest, time)
      indices.append(UInt32(index))
    }
    if isSorted { return indices }
    let range = UInt64(bitPattern: latest &- earliest)
    var keys = indices.map { UInt64(bitPattern: times[Int($0)] &- earliest) }
    var otherKeys = [UInt64](repeating: 0, count: keys.count)
    var otherIndices = [UInt32](repeating: 0, count: keys.count)
    var shift: UInt64 = 0
    while shift < 64, range >> shift > 0 {
      distribute(keys, indices, shift: shift, intoKeys: &otherKeys, indices: &otherIndices)
      swap(&keys, &otherKeys)
      swap(&indices, &otherIndices)
      shift += UInt64(digitBits)
    }
    return indices
  }

  /// The indices grouped: those of group 0 first, in their order; what has a negative group is
  /// left out.
  ///
  /// `starts[g] ..< starts[g + 1]` is where group `g` lies.
  static func grouped(
    _ indices: [UInt32], count: Int, group: (UInt32) -> Int32
  ) -> (indices: [UInt32], starts: [Int]) {
    var starts = [Int](repeating: 0, count: count + 1)
    for index in indices {
      let place = group(index)
      if place >= 0 { starts[Int(place) + 1] += 1 }
    }
    for place in 0..<count { starts[place + 1] += starts[place] }
    var next = starts
    var result = [UInt32](repeating: 0, count: starts[count])
    for index in indices {
      let place = group(index)
      guard place >= 0 else { continue }
      result[next[Int(place)]] = index
      next[Int(place)] += 1
    }
    return (result, starts)
  }

  private static let digitBits = 11

  private static func distribute(
    _ keys: [UInt64], _ indices: [UInt32], shift: UInt64,
    intoKeys otherKeys: inout [UInt64], indices otherIndices: inout [UInt32]
  ) {
    let mask: UInt64 = 1 << UInt64(digitBits) - 1
    var places = [Int](repeating: 0, count: Int(mask) + 1)
    for key in keys { places[Int(key >> shift & mask)] += 1 }
    var sum = 0
    for digit in places.indices {
      let count = places[digit]
      places[digit] = sum
      sum += count
    }
    for (key, index) in zip(keys, indices) {
      let digit = Int(key >> shift & mask)
      let place = places[digit]
      places[digit] = place + 1
      otherKeys[place] = key
      otherIndices[place] = index
    }
  }
}
