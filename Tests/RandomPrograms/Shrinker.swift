// SPDX-License-Identifier: Apache-2.0

/// Makes a program that shows something as small as leaving out parts of it can.
package struct Shrinker<Report> {
  /// What a program shows, or nil when it does not any more.
  package let check: (Program, Set<Int>) -> Report?

  package init(check: @escaping (Program, Set<Int>) -> Report?) { self.check = check }

  /// The parts of `program` to leave out, as many as possible, and what is shown then.
  ///
  /// Halves first, then smaller pieces, until no single part can go.
  package func shrink(_ program: Program, _ report: Report) -> (parts: Set<Int>, report: Report) {
    let count = program.partCount
    var best = (parts: Set<Int>(), report: report)
    var width = max(1, count / 2)
    while true {
      var isSmaller = false
      let left = (0..<count).filter { !best.parts.contains($0) }
      for start in stride(from: 0, to: left.count, by: width) {
        let parts = best.parts.union(left[start..<min(start + width, left.count)])
        guard parts.count > best.parts.count, let report = check(program.without(parts), parts)
        else {
          continue
        }
        best = (parts, report)
        isSmaller = true
      }
      if width == 1, !isSmaller { return best }
      width = isSmaller ? width : max(1, width / 2)
    }
  }
}
