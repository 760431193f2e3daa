// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Harness
internal import Machine
internal import Scheduling
internal import Synchronization

/// Runs every job at once on the submitting thread.
final class ImmediateScheduler: Scheduler {
  let workerCount: Int
  private let reads = Atomic(0)
  init(workers: Int) { workerCount = workers }

  /// One park for every time that somebody asks; all but `steals` is known.
  var counters: SchedulerCounters {
    var counters = SchedulerCounters()
    counters.parks = reads.add(1, ordering: .relaxed).newValue  // relaxed: one thread.
    (counters.jobs, counters.failedSteals, counters.wakeUps) = (0, 0, 0)
    (counters.spuriousWakeUps, counters.injections, counters.compensations) = (0, 0, 0)
    return counters
  }

  func submit(_ jobs: consuming JobChain) {
    var context = WorkerContext(worker: 0, scheduler: identity)
    while let job = jobs.popFirst() {
      unsafe context.runToCompletion(job) { jobs.append($0) }
    }
  }
}

/// The same beside a thread that never sleeps.
func restlessScheduler(workers: Int) -> ImmediateScheduler {
  Thread.detachNewThread { while true {} }
  return ImmediateScheduler(workers: workers)
}

/// A workload whose iteration is any closure.
struct FixtureWorkload: Workload {
  var operationsPerIteration: Int
  var body: (inout IterationRecorder) throws(WrongAnswer) -> Void

  func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) { try body(&recorder) }
}

/// The same for a reference system.
struct FixtureReference: ReferenceWorkload {
  var operationsPerIteration: Int
  func iterate(workers: Int, recorder: inout IterationRecorder) throws(WrongAnswer) {
    stampAll(&recorder)
  }
}

func stampAll(_ recorder: inout IterationRecorder) {
  recorder.begin()
  recorder.built()
  recorder.ran()
  recorder.released()
}

private func workload(
  _ name: String, _ body: @escaping @Sendable (inout IterationRecorder) throws(WrongAnswer) -> Void
) -> WorkloadDescription {
  WorkloadDescription(
    name: name, summary: name, notShown: "anything", tags: [],
    axes: [Axis(name: "n", summary: "size", smoke: 1, quick: 10, real: 100, legal: 1...1_000_000)]
  ) { parameters throws(WorkloadError) in
    FixtureWorkload(operationsPerIteration: parameters["n"], body: body)
  }
}

/// Pages that every thread of `touchPagesOnThreads` writes to.
let touchedPages = 500

/// Two threads, which have ended when it returns, write to fresh pages, and spin for a millisecond.
func touchPagesOnThreads() {
  let group = DispatchGroup()
  for _ in 0..<2 {
    group.enter()
    Thread.detachNewThread {
      touchFreshPages()
      let end = MonotonicClock.nanoseconds() + 1_000_000
      while MonotonicClock.nanoseconds() < end {}
      group.leave()
    }
  }
  group.wait()
}

/// One page fault for each page: none of them had memory before, and large pages are declined.
private func touchFreshPages() {
  let bytes = touchedPages * 4096
  // SAFETY: a mapping of its own, written within its bounds and given back once.
  let memory = unsafe mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
  unsafe madvise(memory, bytes, MADV_NOHUGEPAGE)
  for page in 0..<touchedPages {
    unsafe memory?.storeBytes(of: 1, toByteOffset: page * 4096, as: UInt8.self)
  }
  unsafe munmap(memory, bytes)
}

/// Allocates 16 MiB in parts, each freed before the next.
@inline(never) func allocateAndFree() {
  for _ in 0..<256 {
    let part = UnsafeMutableRawPointer.allocate(byteCount: 1 << 16, alignment: 16)
    // SAFETY: written within its bounds and freed once.
    unsafe part.storeBytes(of: 1, as: UInt8.self)
    unsafe part.deallocate()
  }
}

func writeToStandardError(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }

let fixtureSuite = Suite(
  schedulers: [
    SchedulerEntry(name: "immediate", summary: "at once") { ImmediateScheduler(workers: $0) },
    SchedulerEntry(name: "restless", summary: "never sleeps") { restlessScheduler(workers: $0) },
    SchedulerEntry(name: "stubborn", summary: "always one worker") { _ in
      ImmediateScheduler(workers: 1)
    },
    SchedulerEntry(
      name: "tunable", summary: "as many workers as its knob says",
      knobs: [SchedulerKnob(name: "threads", summary: "threads", numbers: 1...4, default: 1)]
    ) { _, settings in ImmediateScheduler(workers: settings["threads"]?.number ?? 1) },
  ],
  workloads: [
    workload("empty") { stampAll(&$0) },
    workload("spin") { recorder in
      recorder.begin()
      recorder.built()
      let end = MonotonicClock.nanoseconds() + 2_000_000
      while MonotonicClock.nanoseconds() < end {}
      recorder.ran()
      recorder.released()
    },
    workload("threads") { recorder in
      recorder.begin()
      recorder.built()
      touchPagesOnThreads()
      recorder.ran()
      recorder.released()
    },
    workload("touches-outside") { recorder in
      touchPagesOnThreads()
      stampAll(&recorder)
      touchPagesOnThreads()
    },
    workload("samples") { recorder in
      stampAll(&recorder)
      for value in 0..<100_000 { recorder.latency(nanoseconds: UInt64(value)) }
      recorder.queueDelay(nanoseconds: 7)
      recorder.value("efficiency", 0.1)
    },
    workload("abort") { _ in
      writeToStandardError("first line\nlast words\n")
      abort()
    },
    workload("trap") { _ in fatalError("no such luck") },
    workload("exit") { _ in exit(7) },
    workload("quiet-exit") { _ in exit(0) },
    workload("hang") { _ in while true { pause() } },
    workload("wrong") { recorder throws(WrongAnswer) in
      stampAll(&recorder)
      throw WrongAnswer(message: "sum is 3;\nexpected 100 % of 4")
    },
    workload("noisy") { _ in
      for line in 0..<100_000 { writeToStandardError("line \(line) of a very long story\n") }
      abort()
    },
    workload("endless") { _ in while true { writeToStandardError("and so on\n") } },
    workload("prints") { recorder in
      print("sample 1 2 3")
      stampAll(&recorder)
    },
    workload("garbage") { recorder in
      FileHandle(fileDescriptor: 3).write(Data("sample 1 2 3\n".utf8))
      stampAll(&recorder)
    },
    workload("own-metric") { recorder in
      stampAll(&recorder)
      recorder.value("x-coffee-per-table", 2.5)
    },
    workload("coffee") { recorder in
      stampAll(&recorder)
      recorder.value("coffee", 3)
    },
    workload("moments") { recorder in
      stampAll(&recorder)
      recorder.value("tasks", Double(getpid()))
      recorder.value("work", Double(MonotonicClock.nanoseconds()))
    },
    workload("unstamped") { $0.begin() },
    workload("descriptors") { recorder in
      stampAll(&recorder)
      for descriptor in 0..<256 where fcntl(Int32(descriptor), F_GETFD) != -1 {
        recorder.latency(nanoseconds: UInt64(descriptor))
      }
    },
    workload("cpus") { recorder in
      stampAll(&recorder)
      recorder.value("tasks", Double(MachineFacts.read().usableThreads))
    },
    workload("padding") { recorder in
      stampAll(&recorder)
      let padding = EnvironmentVariable.value(of: "BENCH_PADDING") ?? ""
      recorder.value("tasks", Double(padding.utf8.count))
    },
    workload("allocates") { recorder in
      recorder.begin()
      recorder.built()
      allocateAndFree()
      recorder.ran()
      recorder.released()
    },
    workload("group") { recorder in
      stampAll(&recorder)
      recorder.value("tasks", Double(getpgrp()))
    },
  ],
  references: [
    ReferenceDescription(
      name: "whole", summary: "whole", caveat: "none",
      workloads: [
        "empty": .init(cap: ["n": 50]) { parameters throws(WorkloadError) in
          FixtureReference(operationsPerIteration: parameters["n"])
        }
      ])
  ],
  replay: { assignment throws(WorkloadError) in
    guard case .graph(let path) = assignment.subject else {
      throw WorkloadError(message: "not a graph")
    }
    // Tells the test who the child is, then never ends.
    _ = FileManager.default.createFile(atPath: path, contents: Data("\(getpid())\n".utf8))
    return FixtureWorkload(operationsPerIteration: 1) { _ in while true { pause() } }
  })
