// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Foundation
import RandomPrograms
import TestSupport
import Testing

/// Random programs of the whole public API hold on every scheduler.
///
/// `scripts/random-programs` runs them for longer, also under sanitizers.
@Suite(.serialized) struct RandomProgramsTests {
  private static let schedulers = Tested.all(workers: [1, 2, 3, 8])

  @Test(.contract(9, 10, 34, 101, 104, 107, 110, 130, 139))
  func everythingEndsOnceAndNothingStaysAlive() async {
    let findings = await found(on: Self.schedulers, seconds: 6)
    #expect(findings.isEmpty, "\(findings)")
  }

  /// A scheduler that loses a job is found out, and the program is made smaller.
  ///
  /// What waits for the job never ends. Where the job was all that was left to do, everything ends,
  /// and the queue that it belongs to stays alive.
  @Test func aLostJobIsFoundAndItsProgramMadeSmaller() async throws {
    let said = Said()
    let findings = await found(on: [.losing], seconds: 20, patience: 0.5, said)
    let finding = try #require(findings.first)
    let verdicts = ["HANG", "FAULT"].map { "\($0) seed \(finding.seed)\n" }
    #expect(verdicts.contains { finding.report.contains($0) }, "\(finding.report)")
    #expect(said.text.contains("smallest:") && said.text.contains("again: "))
  }

  /// A body that comes after its operation was finished, and stops the queue then, is no finding.
  ///
  /// The task needs some jobs to come to the body, each of them late; in one of the rounds that is
  /// after the finish and before what is added when everything has ended.
  @Test(arguments: [Step.suspend(queue: 0, true), .limit(queue: 0, 0), .cancelAll(queue: 0)])
  func whatStopsAQueueAfterTheEndIsNoFinding(_ stop: Step) {
    for round in 0..<4 {
      var plan = Plan(kind: .task)
      plan.inBody = [stop]
      let program = Program(
        seed: 0, queueCount: 1, plans: [plan], steps: [.add(0, queue: 0), .fork, .finishNow(0)])
      let (run, actor) = Run.make(program, on: LateScheduler(), isInline: false)
      let deadline = MonotonicTime.nanoseconds() + 5_000_000_000
      run.takeSteps(of: 0, actor) {
        Thread.sleep(forTimeInterval: (Double(round) + 0.5) * LateScheduler.delay)
      }
      #expect(run.bringToEnd(actor, until: deadline) { true })
      #expect(run.judge(actor, until: deadline), "round \(round)")
      #expect(run.faults.isEmpty)
    }
  }

  /// A block operation may get any number of further blocks.
  @Test func eachFurtherBlockMayRunOnce() {
    var plan = Plan(kind: .block)
    plan.extraBlocks = 2
    let steps = [Step](repeating: .addBlock(0), count: 20) + [.add(0, queue: 0)]
    let program = Program(seed: 0, queueCount: 1, plans: [plan], steps: steps)
    let (run, actor) = Run.make(program, on: Tested.inline.make(), isInline: true)
    let deadline = MonotonicTime.nanoseconds() + 10_000_000_000
    run.takeSteps(of: 0, actor)
    #expect(run.bringToEnd(actor, until: deadline) { true })
    #expect(run.judge(actor, until: deadline))
    #expect(run.faults.isEmpty)
    // One more than there are.
    run.extraBody(0)
    #expect(run.faults.count == 1)
  }

  /// The same seed gives the same program, and programs use every kind of operation and of step.
  @Test func programsComeFromTheirSeeds() {
    var coverage = Coverage()
    for seed in UInt64(0)..<2_000 {
      let program = Program.of(seed: seed)
      #expect(program.description == Program.of(seed: seed).description)
      #expect(program.waitEnds)
      coverage.note(program)
    }
    #expect(coverage.missing.isEmpty, "\(coverage.missing)")
  }

  /// Parts keep their numbers, whichever others are left out.
  @Test func shrinkingKeepsWhatIsNeeded() {
    for seed in UInt64(0)..<200 {
      let program = Program.of(seed: seed)
      guard let wanted = program.steps.last, wanted.inner.isEmpty else { continue }
      let shrinker = Shrinker<Int> { smaller, _ in
        smaller.allSteps.contains(wanted) ? smaller.allSteps.count : nil
      }
      let smallest = shrinker.shrink(program, program.allSteps.count)
      #expect(smallest.report == 1, "seed \(seed)")
      #expect(program.without(smallest.parts).allSteps == [wanted])
    }
  }

  /// A body waits without a timeout only where the wait must end.
  @Test func impossibleWaitsAreSeen() {
    func program(_ steps: [Step]) -> Program {
      var plans = [Plan(kind: .subclass), Plan(kind: .subclass), Plan(kind: .barrier)]
      plans[1].waitsFor = 0
      return Program(seed: 0, queueCount: 2, plans: plans, steps: steps)
    }
    let apart: [Step] = [.add(0, queue: 0), .add(1, queue: 1), .limit(queue: 1, 1)]
    #expect(program(apart).waitEnds)
    #expect(program([.add(0, queue: 1), .add(1, queue: 1)]).waitEnds)
    #expect(!program(apart + [.add(0, queue: 1)]).waitEnds)
    #expect(!program(apart + [.depend(0, on: 1)]).waitEnds)
    #expect(!program(apart + [.add(2, queue: 0)]).waitEnds)
    #expect(program(apart + [.add(2, queue: 1)]).waitEnds)
    let needs = [0, 1].map { Step.require($0, resource: 0, amount: 1) }
    #expect(needs.allSatisfy { program(apart + [$0]).waitEnds })
    #expect(!program(apart + needs).waitEnds)
    #expect(!program(apart + [.move(queue: 1, .serialQueue)]).waitEnds)
    // In an inline queue a body runs on top of what has made it startable.
    var onTop = program(apart)
    onTop.queues[1].isInline = true
    #expect(onTop.waitEnds)
    onTop.plans[2].inBody = [.list(queue: 0)]
    #expect(!onTop.waitEnds)
  }

  /// A completion block waits without a timeout only where nothing around it is needed.
  @Test(.contract(61, 65)) func impossibleWaitsOfCompletionBlocksAreSeen() {
    func program(_ steps: [Step]) -> Program {
      var plans = [Plan(kind: .held), Plan(kind: .subclass), Plan(kind: .subclass)]
      plans[0].inBody = [.start(1)]
      plans[1].inBody = [.finishNow(0)]
      plans[0].completionWaitsFor = 2
      return Program(seed: 0, queueCount: 1, plans: plans, steps: steps)
    }
    let apart: [Step] = [.complete(0), .add(0, queue: 0), .add(2, queue: 0)]
    #expect(program(apart).waitEnds)
    #expect(program(apart + [.limit(queue: 0, 1)]).waitEnds)
    #expect(!program(apart + [.depend(2, on: 0)]).waitEnds)
    #expect(!program(apart + [.add(1, queue: 0)]).waitEnds)
    #expect(!program(apart + [.depend(2, on: 1)]).waitEnds)
    #expect(!program(apart + [.require(1, resource: 0, amount: 1)]).waitEnds)
    var busy = program(apart)
    busy.plans[2].inBody = [.finishNow(0)]
    #expect(!busy.waitEnds)
  }

  /// What is no member of a queue, and what depends on something no more, is not cancelled with it.
  @Test(.contract(26, 53)) func whatMayBeCancelledIsKnown() {
    func cancelled(_ steps: [Step]) -> Set<Int> {
      let plans = (0..<3).map { _ in Plan(kind: .subclass) }
      return Program(seed: 0, queueCount: 2, plans: plans, steps: steps).mayBeCancelled
    }
    let passing: [Step] = [
      .set(0, .cancelsDependents, true), .set(1, .cancelsDependents, true), .depend(1, on: 0),
      .depend(2, on: 1),
    ]
    #expect(cancelled([.add(0, queue: 0), .add(1, queue: 1), .cancelAll(queue: 0)]) == [0])
    #expect(cancelled(passing) == [])
    #expect(cancelled(passing + [.cancel(0)]) == [0, 1, 2])
    #expect(cancelled(passing + [.undepend(1, on: 0), .cancel(0)]) == [0])
    #expect(
      cancelled(passing + [.add(0, queue: 0), .undepend(1, on: 0), .cancel(0)]) == [0, 1, 2])
    #expect(
      cancelled(passing + [.undepend(1, on: 0), .depend(1, on: 0), .cancel(0)]) == [0, 1, 2])
    #expect(cancelled(passing + [.drop(1), .undepend(1, on: 0), .cancel(0)]) == [0, 1, 2])
  }

  /// What a body adds to its own queue holds up what it is inside of, and is cancelled with a
  /// group.
  @Test(.contract(31, 52)) func whatBodiesAddInsideIsKnown() {
    func program(_ kind: Kind, _ inBody: [Step], _ steps: [Step] = []) -> Program {
      var plans = (0..<3).map { _ in Plan(kind: .subclass) }
      plans[1].inBody = inBody
      plans[2] = Plan(kind: kind)
      plans[2].members = [1]
      return Program(seed: 0, queueCount: 1, plans: plans, steps: steps + [.add(2, queue: 0)])
    }
    let adds = [Step.add(0, queue: Step.ownQueue)]
    let edge = [Step.depend(0, on: 2)]
    #expect(program(.group, adds, edge).circularEdges.count == 1)
    #expect(program(.group, [], edge).circularEdges.isEmpty)
    #expect(program(.group, adds + [.cancelOwner]).mayBeCancelled == [0, 1, 2])
    #expect(program(.group, adds + [.cancelAll(queue: Step.ownQueue)]).mayBeCancelled == [0, 1])
    #expect(program(.group, adds).mayBeCancelled.isEmpty)
    #expect(program(.group, adds).waitForFreshEnds)
    #expect(!program(.group, adds + [.limit(queue: Step.ownQueue, 1)]).waitForFreshEnds)
  }

  /// The model asks that what is told to finish before it is added leaves an open queue at once.
  @Test(.contract(66)) func whatIsToldToFinishIsExpectedToLeaveAtOnce() throws {
    let steps: [Step] = [
      .finishNow(1), .depend(1, on: 0), .suspend(queue: 0, true), .add(1, queue: 0),
      .suspend(queue: 0, false),
    ]
    let program = Program(
      seed: 0, queueCount: 1, plans: [Plan(kind: .subclass), Plan(kind: .held)], steps: steps)
    let script = try #require(Script(program, avoidsDefects: false))
    #expect(Array(script.steps.prefix(5)) == steps)
    let finished = script.expected.prefix(5).map { $0.flags[1]?.isFinished }
    #expect(finished == [false, false, false, false, true])
    #expect(script.expected[4].runs == [0, 0])
    #expect(script.expected[4].queues[0].count == 0)
  }

  /// Where two bodies would add an operation to different queues, whoever comes first decides.
  @Test func bodiesDoNotCompeteForAnOperationInTheModel() throws {
    func steps(_ queue: Int) throws -> [Step] {
      var plans = [Plan(kind: .barrier), Plan(kind: .block), Plan(kind: .subclass)]
      plans[0].inBody = [.add(1, queue: 0), .add(2, queue: 1)]
      plans[1].inBody = [.add(2, queue: queue)]
      let program = Program(seed: 0, queueCount: 2, plans: plans, steps: [.add(0, queue: 1)])
      return try #require(Script(program, avoidsDefects: false)).program.steps
    }
    #expect(try steps(0).isEmpty)
    #expect(try steps(1).count == 1)
  }

  // MARK: Running

  private func found(
    on schedulers: [Tested], seconds: Double, patience: Double = 10, _ said: Said = Said()
  ) async -> [Campaign.Finding] {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        var campaign = Campaign(
          executable: Self.fixture, schedulers: schedulers, seconds: seconds,
          seed: UInt64.random(in: 0..<1_000_000_000))
        campaign.patience = patience
        continuation.resume(returning: campaign.run { said.add($0) })
      }
    }
  }

  /// The program that runs the children; built beside the tests.
  private static let fixture: String = {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let bundles = CommandLine.arguments.filter { $0.contains(".xctest") }
    let paths = ([own] + bundles).map {
      URL(fileURLWithPath: $0).deletingLastPathComponent()
        .appendingPathComponent("RandomProgramsFixture").path
    }
    return paths.first { FileManager.default.isExecutableFile(atPath: $0) } ?? paths[0]
  }()
}

/// What a campaign says.
private final class Said: @unchecked Sendable {
  private let lock = NSLock()
  private var lines: [String] = []
  func add(_ line: String) { lock.withLock { lines.append(line) } }
  var text: String { lock.withLock { lines.joined(separator: "\n") } }
}
