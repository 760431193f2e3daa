// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Harness
internal import Measurement
internal import Results
internal import Testing

@Suite("Children that are driven step by step") struct MeasuringChildTests {
  private func start(_ assignments: Assignment...) throws -> MeasuringChild {
    let child = try ChildRunner(executable: Fixture.path).start(
      ChildSetup(allocator: .system), deadline: .seconds(30))
    try child.awaitReady()
    for assignment in assignments { try child.prepare(assignment) }
    return child
  }

  private func assignment(_ workload: String, n: Int) -> Assignment {
    var assignment = Fixture.assignment(workload)
    assignment.parameters["n"] = n
    return assignment
  }

  /// The moments at which a child ran, in nanoseconds.
  private func moments(_ outcome: MeasurementOutcome) -> [Double] { outcome.metrics[.work] ?? [] }

  @Test func twoLiveChildrenGoInLockStep() throws {
    let children = [try start(assignment("moments", n: 1)), try start(assignment("moments", n: 2))]
    var outcomes = [MeasurementOutcome(), MeasurementOutcome()]
    // Not in turns only: what is random here is the caller's.
    let order = [0, 1, 1, 0, 0, 1, 0, 1, 1, 0]
    for turn in order { try children[turn].iterate(Iterations(), into: &outcomes[turn]) }
    for (index, child) in children.enumerated() {
      outcomes[index].peakRSS = try child.stop().peakRSS
    }
    var next = [0, 0]
    let timeline = order.map { turn in
      defer { next[turn] += 1 }
      return moments(outcomes[turn])[next[turn]]
    }
    #expect(timeline == timeline.sorted())
    #expect(Set(outcomes.flatMap { $0.metrics[.tasks] ?? [] }).count == 2, "two processes")
    #expect(
      outcomes.map { $0.iterations.map(\.operations) } == [[1, 1, 1, 1, 1], [2, 2, 2, 2, 2]])
    #expect(outcomes.allSatisfy { ($0.peakRSS ?? 0) > 0 })
  }

  @Test func oneChildAlternatesTwoContestants() throws {
    let child = try start(assignment("moments", n: 1), assignment("moments", n: 2))
    var outcomes = [MeasurementOutcome(), MeasurementOutcome()]
    for turn in [0, 1, 1, 0, 1, 0] {
      try child.select(turn)
      try child.iterate(Iterations(warmups: turn), into: &outcomes[turn])
    }
    _ = try child.stop()
    #expect(outcomes.map { $0.iterations.map(\.operations) } == [[1, 1, 1], [2, 2, 2]])
    #expect(Set(outcomes.flatMap { $0.metrics[.tasks] ?? [] }).count == 1, "one process")
  }

  @Test func aProgramRunsForItsWarmUpBeforeTheSample() throws {
    let child = try start(assignment("moments", n: 1))
    var outcome = MeasurementOutcome()
    try child.iterate(Iterations(), into: &outcome)
    try child.iterate(Iterations(warmupNanoseconds: 20_000_000), into: &outcome)
    _ = try child.stop()
    #expect(outcome.iterations.count == 2)
    let moments = moments(outcome)
    #expect(try #require(moments.last) - #require(moments.first) >= 20_000_000)
  }

  @Test func frozenCountsMakeBothSidesDoTheSame() throws {
    let child = try start(Fixture.assignment("spin"), assignment("samples", n: 3))
    var outcome = MeasurementOutcome()
    try child.freeze(runs: 4)
    try child.iterate(Iterations(least: 2, most: 2), into: &outcome)
    #expect(outcome.iterations.map(\.operations) == [12, 12])
    #expect(outcome.latencies.count == 2 * 4 * 100_000)
    // The other contestant keeps its own count.
    try child.select(0)
    outcome = MeasurementOutcome()
    try child.iterate(Iterations(), into: &outcome)
    #expect(outcome.iterations.map(\.operations) == [10])
    try child.freeze(runs: 3)
    try child.iterate(Iterations(), into: &outcome)
    #expect(outcome.iterations.map(\.operations) == [10, 30])
    #expect(outcome.iterations[1].runNanoseconds >= 6_000_000)
    _ = try child.stop()
  }

  @Test func aChildSaysWhoItIs() throws {
    let child = try start()
    #expect(child.identity == .own)
    #expect(child.allocatorProof?.hasPrefix("glibc") == true)
    _ = try child.stop()
  }

  @Test func whatDoesNotFitIsNamedAndEndsTheChild() throws {
    func finding(_ step: (MeasuringChild) throws -> Void) throws -> String {
      let child = try start(Fixture.assignment("empty"))
      let failure = #expect(throws: MeasurementFailure.self) { try step(child) }
      #expect(throws: MeasurementFailure.self) { _ = try child.stop() }
      return failure?.description ?? ""
    }
    #expect(try finding { try $0.select(1) }.contains("contestant 1 of 1 that are made"))
    #expect(
      try finding { try $0.prepare(Fixture.assignment("no-such")) }
        .contains("no workload 'no-such' in this suite"))
    let child = try start()
    var outcome = MeasurementOutcome()
    let failure = #expect(throws: MeasurementFailure.self) {
      try child.iterate(Iterations(), into: &outcome)
    }
    #expect(failure?.description.contains("'iterate' without a contestant") == true)
  }

  @Test func aStepThatHangsIsKilledAndAnotherChildGoesOn() throws {
    let path = Fixture.temporaryPath()
    defer { try? FileManager.default.removeItem(atPath: path) }
    var hanging = Fixture.assignment("hang")
    hanging.subject = .graph(path: path)
    let children = [try start(hanging), try start(Fixture.assignment("empty"))]
    var outcome = MeasurementOutcome()
    children[0].allow(.milliseconds(200))
    #expect(throws: MeasurementFailure.hung(deadline: .milliseconds(200), standardError: "")) {
      try children[0].iterate(Iterations(), into: &outcome)
    }
    try children[1].iterate(Iterations(), into: &outcome)
    _ = try children[1].stop()
    #expect(outcome.iterations.count == 1)
  }

  @Test func aChildThatIsForgottenIsGone() throws {
    func use() throws -> Int32 {
      let child = try start(Fixture.assignment("moments"))
      var outcome = MeasurementOutcome()
      try child.iterate(Iterations(), into: &outcome)
      return Int32(outcome.metrics[.tasks]?.first ?? 0)
    }
    let pid = try use()
    #expect(pid > 0 && isGone(pid))
  }
}

@Suite("Programs of other revisions") struct OtherConversationTests {
  /// What a runner says of a program that is this script.
  private func failure(ofScript script: String) throws -> MeasurementFailure? {
    let path = Fixture.temporaryPath()
    defer { try? FileManager.default.removeItem(atPath: path) }
    try "#!/bin/sh\n\(script)\n".write(toFile: path, atomically: false, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
    return ChildRunner(executable: path).run(
      Fixture.assignment("empty"), deadline: .seconds(20), allocator: .system
    ).failure
  }

  @Test func aProgramFromBeforeTheConversationIsRecognised() throws {
    let failure = try failure(
      ofScript: """
        echo "bench __measure: assignment: no 'graph'; expected one line graph=…; this verb is for \
        child processes that bench starts itself; use 'bench run'" >&2
        exit 64
        """)
    #expect(failure == .otherConversation(version: nil))
    #expect(failure?.qualityWord == "unavailable:conversation")
    #expect(
      failure?.description.contains("no version of the conversation") == true
        && failure?.description.contains("a `bench` of its own revision") == true)
  }

  @Test func aProgramOfAnotherVersionIsRecognised() throws {
    let failure = try failure(ofScript: "echo hello version=7 colour=red >&3; sleep 5")
    #expect(failure == .otherConversation(version: "7"))
    #expect(failure?.description.contains("version 7 of the conversation") == true)
  }

  @Test func anotherProgramIsACrash() throws {
    #expect(
      try failure(ofScript: "exit 64") == .crashed(.exited(64), standardError: ""))
  }

  /// What the fixture answers to a first line and commands, and the exit code.
  private func converse(_ hello: String, _ commands: String) throws -> [String] {
    let file = Fixture.temporaryPath()
    let fifo = Fixture.temporaryPath()
    defer { for path in [file, fifo] { try? FileManager.default.removeItem(atPath: path) } }
    try commands.write(toFile: file, atomically: false, encoding: .utf8)
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = [
      "-c",
      "mkfifo $3; { \"$0\" \(measureChildVerb) \"$1\" 3>&1 1>&2 4<>$3 5<$2; echo exit $?; } | cat",
      Fixture.path, hello, file, fifo,
    ]
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let said = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: said, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test func aChildRefusesAnotherVersionInWordsThatItReads() throws {
    let answer = try converse("hello version=9 mood=fine", "")
    #expect(answer.first == ChildIdentity.own.line)
    #expect(answer.last == "exit 64")
    #expect(answer.contains { $0.contains("version%209%20of%20the%20conversation") })
  }

  @Test func aChildNamesWhatItDoesNotUnderstand() throws {
    let hello = ChildSetup(allocator: .system).line
    for (commands, finding) in [
      ("frobnicate\n", "unknown command 'frobnicate'"),
      ("stop now=1\n", "unknown field 'now' in 'stop'"),
      ("iterate\n", "'iterate' without 'warm-ups'"),
    ] {
      let answer = try converse(hello, commands)
      let failed = try #require(answer.first { $0.hasPrefix("failed ") })
      guard case .failed(let failure) = try ChildReport(text: failed) else {
        Issue.record("\(answer)")
        continue
      }
      #expect(failure.kind == .misunderstood)
      #expect(failure.detail.hasPrefix(finding), "\(failure.detail)")
      #expect(answer.last == "exit 0")
    }
  }
}
