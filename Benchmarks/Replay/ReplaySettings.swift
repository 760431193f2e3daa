// SPDX-License-Identifier: Apache-2.0

package import Harness

/// How a replayed task spends its duration.
package enum ReplayBody: String, Sendable, CaseIterable {
  /// Holds its worker until its start plus its duration by the monotonic clock: exact on any host.
  case spin
  /// Does the CPU work that takes its duration on a core of its own, as calibrated once per
  /// process.
  case work
}

/// How a recorded graph is replayed.
package struct ReplaySettings: Hashable, Sendable {
  /// Factor on every recorded duration, positive and finite.
  package var timeScale: Double
  /// How a task spends its duration.
  package var body: ReplayBody
  /// Whether operations have the names of their tasks, for recordings; it makes each one larger.
  package var namesOperations: Bool

  /// Keys of `Assignment.extra` that `init(extra:)` reads.
  package static let timeScaleKey = "time-scale"
  /// Key of the body mode, a raw value of `ReplayBody`.
  package static let bodyKey = "body"
  /// Key of the fingerprint that the graph had when the run began; a replay of another graph is
  /// refused.
  package static let fingerprintKey = "graph"

  /// Key that is there when operations are to be named.
  package static let namesKey = "names"

  /// Settings; see the properties.
  package init(
    timeScale: Double = 1, body: ReplayBody = .spin, namesOperations: Bool = false
  ) {
    self.timeScale = timeScale
    self.body = body
    self.namesOperations = namesOperations
  }

  /// Reads settings from an assignment; other keys are left alone.
  package init(extra: [String: String]) throws(WorkloadError) {
    timeScale = 1
    body = .spin
    namesOperations = extra[Self.namesKey] != nil
    if let text = extra[Self.timeScaleKey] {
      guard let scale = Double(text), scale.isFinite, scale > 0 else {
        throw WorkloadError(
          message: "replay: time scale '\(text)'; expected a positive number; "
            + "pass --time-scale 0.001, or leave it out")
      }
      timeScale = scale
    }
    if let text = extra[Self.bodyKey] {
      guard let body = ReplayBody(rawValue: text) else {
        throw WorkloadError(
          message: "replay: body '\(text)'; expected one of "
            + ReplayBody.allCases.map(\.rawValue).joined(separator: ", ")
            + "; pass --body spin or leave it out")
      }
      self.body = body
    }
  }

  /// What `init(extra:)` reads back.
  package var extra: [String: String] {
    var extra = [Self.bodyKey: body.rawValue, Self.timeScaleKey: "\(timeScale)"]
    if namesOperations { extra[Self.namesKey] = "tasks" }
    return extra
  }
}
