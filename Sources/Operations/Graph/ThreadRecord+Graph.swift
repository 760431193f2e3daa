// SPDX-License-Identifier: Apache-2.0

import Scheduling

extension ThreadRecord {
  /// Notes that a node of the graph at `word` runs now; what is given back goes to `leaveNode`.
  @inline(__always) func enterNode(_ word: UInt) -> Bool {
    guard !isInside else { return enterLevel(Level(graph: word)) }
    currentGraph = word
    return false
  }

  /// Notes that what `enterNode` found runs again.
  @inline(__always) func leaveNode(_ isNested: Bool) {
    currentGraph = 0
    if isNested { leaveLevel(true) }
  }

  /// Runs the handlers of a run that has ended, on a worker of its scheduler: what they wait for is
  /// compensated.
  func callingHandlers(of run: GraphRun, _ body: () -> Void) {
    let word = unsafe UInt(bitPattern: Unmanaged.passUnretained(run).toOpaque())
    let outer = enterLevel(Level(graph: word | Level.endedRunTag))
    body()
    leaveLevel(outer)
  }

  /// The run whose node runs here, with nothing else on top of it.
  var runOfGraph: GraphRun? {
    currentQueue == 0 ? GraphControl.run(at: currentGraph) : nil
  }
}
