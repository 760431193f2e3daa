// SPDX-License-Identifier: Apache-2.0

internal import Revisions

extension RevisionEvent {
  /// The event as one line.
  var text: String {
    switch self {
    case .waits(let commit):
      "waiting for another bench that builds or uses commit \(commit.prefix(12))"
    case .builds(let commit):
      "building commit \(commit.prefix(12)) for release; minutes the first time"
    case .built(let commit, let seconds):
      "built commit \(commit.prefix(12)) in \(seconds) s; it is kept for next time"
    case .removesLeftover(let folder):
      "removing what an earlier bench left when it was killed: \(folder)"
    case .forgets(let commit):
      "removing the executable of commit \(commit.prefix(12)), used longest ago"
    }
  }
}
