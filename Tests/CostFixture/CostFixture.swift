// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import DispatchBackend
import Operations
import Scheduling
import ThreadPoolBackend
import WorkStealingBackend

/// Runs one case of the cost table: a program for `scripts/costs`.
///
///     CostFixture list
///     CostFixture SCHEDULER CASE ITEMS CALLS
///
/// With `list` a line `NAME<tab>PILE<tab>BYTES<tab>KIND` for each case, KIND as in `CostCase.Kind`.
/// Otherwise ITEMS pile up, CALLS calls are made, and the pile is taken down; the last line is
/// `bytes LIVE`, what the pile held before the first call, from the system's allocator.
@main enum CostFixture {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments == ["list"] {
      for one in CostCase.all {
        print("\(one.name)\t\(one.pile)\t\(one.mostBytes)\t\(one.kind)")
      }
      return
    }
    guard arguments.count == 4, let scheduler = scheduler(arguments[0]),
      let chosen = CostCase.all.first(where: { $0.name == arguments[1] }),
      let items = Int(arguments[2]), let calls = Int(arguments[3])
    else {
      fatalError(
        "usage: CostFixture list, or CostFixture dispatch|thread-pool|work-stealing|inline CASE "
          + "ITEMS CALLS with a case of the list, not \(arguments)")
    }
    let stage = CostStage(scheduler: scheduler)
    // What is made once is made before anything is counted.
    CostStage.drain(stage.members(64))
    let before = CostStage.liveBytes()
    let pile = chosen.pileUp(stage, items, calls)
    let bytes = pile.bytes ?? (CostStage.liveBytes() - before)
    makeCalls(calls, beside: pile)
    takeDown(pile)
    print("bytes \(bytes)")
  }

  // `scripts/costs` finds these two by their names and counts from where they begin.

  @inline(never) static func makeCalls(_ calls: Int, beside pile: Pile) {
    for number in 0..<calls { pile.call(number) }
  }

  @inline(never) static func takeDown(_ pile: Pile) { pile.end() }

  private static func scheduler(_ name: String) -> (any Scheduler)? {
    switch name {
    case "dispatch": DispatchScheduler(workers: 1)
    case "thread-pool": ThreadPoolScheduler(workers: 1)
    case "work-stealing": WorkStealingScheduler(workers: 1)
    case "inline": InlineScheduler()
    default: nil
    }
  }
}
