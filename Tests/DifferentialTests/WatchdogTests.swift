// SPDX-License-Identifier: Apache-2.0

import RandomPrograms
import TestSupport
import Testing

/// A hang and a crash name the program and the step, in whichever implementation they happen.
struct WatchdogTests {
  @Test func aHangNamesSeedAndStep() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let watch = Watchdog(patience: .milliseconds(10))
      watch.note(4711, "Foundation", 3, .cancel(5))
      _ = waitUntil { false }
    }
    #expect(text(result).contains("seed 4711: Foundation hangs in step 3 (cancel 5)"))
  }

  @Test func aCrashNamesSeedAndStep() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let watch = Watchdog(patience: .seconds(60))
      watch.note(4711, "Foundation", 3, .cancel(5))
      let empty: [Int] = []
      withExtendedLifetime(watch) { print(empty[empty.count]) }
    }
    #expect(text(result).contains("seed 4711, Foundation, step 3: cancel 5"))
  }

  private func text(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  }
}
