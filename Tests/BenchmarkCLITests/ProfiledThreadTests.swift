// SPDX-License-Identifier: Apache-2.0

import Measurement
import Testing
import Traces

@testable import BenchmarkCLI

@Suite struct ProfiledThreadTests {
  private let trace: Trace = {
    var trace = Trace(header: TraceHeader())
    trace.names += ["pool-1", "pool-0"]
    let first = UInt32(trace.names.count - 2)
    trace.threads = [
      TraceThread(worker: 1, systemID: 31, name: first),
      TraceThread(worker: 0, systemID: 32, name: first + 1),
      TraceThread(worker: -1, systemID: 30, name: 0),
    ]
    return trace
  }()

  private let times = ThreadTimes(entries: [
    .init(systemID: 30, ran: 10, waited: 0, slices: 1),
    .init(systemID: 31, ran: 75, waited: 25, slices: 2),
    .init(systemID: 32, ran: 0, waited: 9, slices: 0),
    .init(systemID: 33, ran: 0, waited: 0, slices: 0),
  ])

  @Test func workersComeFirstAndWhoDidNothingIsLeftOut() {
    let threads = ProfiledThread.all(times, trace)
    #expect(threads.map(\.worker) == [0, 1, nil])
    #expect(threads.map(\.name) == ["pool-0", "pool-1", ""])
    #expect(threads.map(\.share) == [1, 0.25, 0])
  }

  @Test func theTableHasEveryThread() {
    let table = ProfileTables.threads(ProfiledThread.all(times, trace))
    #expect(table.rows.count == 3)
  }

  @Test func theOptionAsksForIt() throws {
    let parser = ArgumentParser(workloadNames: ["chain"])
    let words = ["profile", "chain", "--scheduler", "inline"]
    #expect(try !ProfileRequest(parser.parse(words)).readsThreadTimes)
    #expect(try ProfileRequest(parser.parse(words + ["--sched"])).readsThreadTimes)
  }
}
