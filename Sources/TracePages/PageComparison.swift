// SPDX-License-Identifier: Apache-2.0

internal import Results
package import Traces

/// What the page of a run shows of two schedulers: how long each took, and on what.
package struct PageComparison {
  /// One of the two.
  package struct Side {
    private let scheduler: String
    private let page: String
    private let times: (least: UInt64, median: UInt64, most: UInt64)
    private let parts: [(part: RealisedPath.Part, nanoseconds: Int64)]

    /// - Parameters:
    ///   - page: the file name of its page, which lies beside the other one.
    ///   - times: how long its runs without a recording took, ns.
    ///   - parts: what its recorded run hung on, ns; empty where the recording does not tell.
    package init(
      scheduler: String, page: String, times: (least: UInt64, median: UInt64, most: UInt64),
      parts: [(part: RealisedPath.Part, nanoseconds: Int64)]
    ) {
      self.scheduler = scheduler
      self.page = page
      self.times = times
      self.parts = parts
    }

    fileprivate var value: JSONValue {
      .object([
        ("scheduler", .string(scheduler)), ("page", .string(page)),
        ("least", .integer(Int(times.least))), ("median", .integer(Int(times.median))),
        ("most", .integer(Int(times.most))),
        (
          "parts",
          .array(
            parts.map {
              .object([
                ("part", .string("\($0.part)")), ("nanoseconds", .integer(Int($0.nanoseconds))),
              ])
            })
        ),
      ])
    }
  }

  private let sentence: String
  private let sides: [Side]

  /// - Parameter sentence: which of the two took longer, by how much, how sure that is, and why.
  package init(sentence: String, first: Side, second: Side) {
    self.sentence = sentence
    sides = [first, second]
  }

  /// For the page of one of the two, the first if `place` is 0.
  func value(pageOf place: Int) -> JSONValue {
    .object([
      ("sentence", .string(sentence)), ("own", .integer(place)),
      ("sides", .array(sides.map(\.value))),
    ])
  }
}
