// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BenchmarkCLI

@Suite struct ProfileRequestTests {
  private func parsed(_ words: [String]) throws -> ParsedArguments {
    try ArgumentParser(workloadNames: ["chain", "fan"]).parse(words)
  }

  @Test func aProfileIsOfOneProgramOnOneSchedulerOrTwo() throws {
    let request = try ProfileRequest(
      parsed([
        "profile", "chain", "--scheduler", "dispatch", "--against", "inline", "--break-over", "5ms",
        "--detail", "latency", "--trace", "a.trace",
      ]))
    #expect(request.schedulers == ["dispatch", "inline"])
    #expect(request.run.measurement.workloadNames == ["chain"])
    #expect(request.breakOverNanoseconds == 5_000_000)
    #expect(request.detail == .latency)
    #expect(request.trace == "a.trace")
  }

  @Test(arguments: [
    (["profile", "chain"], "--scheduler: no scheduler is named; expected one"),
    (["profile", "chain", "--scheduler", "a,b"], "--scheduler: 2 schedulers are named"),
    (
      ["profile", "chain", "--scheduler", "a", "--against", "a"],
      "--against: `a` is the scheduler itself"
    ),
    (["profile", "--scheduler", "a"], "profile: no program is named; expected one workload"),
    (["profile", "chain", "fan", "--scheduler", "a"], "profile: 2 programs are named"),
    (
      ["profile", "chain", "--scheduler", "a", "--body", "work"],
      "--body: it counts for the replay of a graph only"
    ),
    (
      ["profile", "chain", "--scheduler", "a", "--heap", "--allocator", "system"],
      "--heap: the heap profile is jemalloc's"
    ),
    (
      ["profile", "--recording", "a.trace", "--perf"],
      "--recording: `--perf` says what to run"
    ),
  ])
  func whatIsNoProfileIsRefused(words: [String], message: String) throws {
    let arguments = try parsed(words)
    let failure = #expect(throws: ToolFailure.self) { try ProfileRequest(arguments) }
    #expect(failure?.description.hasPrefix(message) == true, "\(failure?.description ?? "")")
    #expect(failure?.code == .usage)
  }

  @Test func aReplayIsARunOfTheGraphOrASimulation() throws {
    guard case .run(let run) = try ReplayRequest(parsed(["replay", "a.trace", "--quick"])) else {
      Issue.record("expected a run")
      return
    }
    #expect(run.graphPaths == ["a.trace"])
    #expect(run.measurement.workloadNames.isEmpty)
    let words = [
      "replay", "a.trace", "--simulate", "--workers", "2,64", "--policy", "fifo,steal-half",
      "--overhead", "x0.5", "--seed", "7",
    ]
    guard case .simulate(let simulation) = try ReplayRequest(parsed(words)) else {
      Issue.record("expected a simulation")
      return
    }
    #expect(simulation.workers == [2, 64])
    #expect(simulation.policies == [.fifo, .stealHalf])
    #expect(simulation.overheadFactor == 0.5)
    #expect(simulation.seed == 7)
  }

  @Test(arguments: [
    (["replay"], "FILE: no recording is named"),
    (["replay", "a", "--overhead", "x2"], "--overhead: it counts for a simulation only"),
    (["replay", "a", "b", "--simulate"], "--simulate: 2 recordings are named"),
    (["replay", "a", "--simulate", "--policy", "fife"], "--policy: unknown policy `fife`"),
    (["replay", "a", "--simulate", "--overhead", "half"], "--overhead: `half` is no factor"),
    (["replay", "a", "--simulate", "--scheduler", "b"], "--scheduler: a simulation runs nothing"),
    (["replay", "a", "--simulate", "--trace", "b"], "--trace: it holds one schedule"),
  ])
  func whatIsNoReplayIsRefused(words: [String], message: String) throws {
    let arguments = try parsed(words)
    let failure = #expect(throws: ToolFailure.self) { try ReplayRequest(arguments) }
    #expect(failure?.description.hasPrefix(message) == true, "\(failure?.description ?? "")")
    #expect(failure?.code == .usage)
  }
}
