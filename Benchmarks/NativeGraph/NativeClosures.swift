// SPDX-License-Identifier: Apache-2.0

package import Harness
package import Workloads

/// `independent` on a reference system: one call submits a body per slot and waits.
package final class NativeIndependent: ReferenceWorkload {
  /// Submits one body per slot and waits for all.
  package typealias Submit = @Sendable (_ slots: Slots, _ count: Int, _ workers: Int) -> Void

  private let system: String
  private let limit: NativeLimit
  private let storage: SlotStorage
  private let submit: Submit

  /// `operations` bodies on the system of that name.
  package init(
    on system: String, limit: NativeLimit = .none, operations: Int, submit: @escaping Submit
  ) throws(WorkloadError) {
    self.system = system
    self.limit = limit
    self.submit = submit
    storage = try SlotStorage(for: "independent", count: operations)
  }

  package var operationsPerIteration: Int { storage.count }

  package func iterate(workers: Int, recorder: inout IterationRecorder) throws(WrongAnswer) {
    let held = limit.open(workers)
    recorder.begin()
    recorder.built()
    submit(storage.slots, storage.count, workers)
    recorder.ran()
    recorder.released()
    limit.close(held)
    try storage.checkIteration(of: "independent on \(system)")
  }
}

/// `fork-join` on a reference system: one call computes the number and waits.
package final class NativeForkJoin: ReferenceWorkload {
  /// Computes the Fibonacci number of the argument; the greatest value when a part of it got lost.
  package typealias Evaluate = @Sendable (_ argument: Int, _ workers: Int) -> UInt64

  private let system: String
  private let limit: NativeLimit
  private let argument: Int
  private let evaluate: Evaluate

  /// The recursion on the system of that name.
  package init(
    on system: String, limit: NativeLimit = .none, argument: Int, evaluate: @escaping Evaluate
  ) {
    self.system = system
    self.limit = limit
    self.argument = argument
    self.evaluate = evaluate
  }

  package var operationsPerIteration: Int { Fibonacci.operationCount(argument) }

  package func iterate(workers: Int, recorder: inout IterationRecorder) throws(WrongAnswer) {
    let held = limit.open(workers)
    recorder.begin()
    recorder.built()
    let value = evaluate(argument, workers)
    recorder.ran()
    recorder.released()
    limit.close(held)
    let expected = Fibonacci.value(argument)
    guard value == expected else {
      throw WrongAnswer(message: "fork-join on \(system): \(value), expected \(expected)")
    }
  }
}

/// `cancel` on a reference system.
package final class NativeCancel: ReferenceWorkload {
  /// What a system does; the words are handles.
  package struct System: Sendable {
    /// As in `--reference`, for messages.
    package var name: String
    /// How it is told its number of workers.
    package var limit: NativeLimit
    /// Submits one body per slot so that none can start.
    package var build: @Sendable (_ slots: Slots, _ count: Int, _ workers: Int) -> UInt
    /// Cancels all and waits until nothing is pending.
    package var run: @Sendable (UInt) -> Void
    /// Frees what `build` made.
    package var drop: @Sendable (UInt) -> Void

    /// A system; see the properties.
    package init(
      name: String, limit: NativeLimit = .none,
      build: @escaping @Sendable (Slots, Int, Int) -> UInt,
      run: @escaping @Sendable (UInt) -> Void, drop: @escaping @Sendable (UInt) -> Void
    ) {
      self.name = name
      self.limit = limit
      self.build = build
      self.run = run
      self.drop = drop
    }
  }

  private let system: System
  private let storage: SlotStorage

  /// `operations` pending bodies.
  package init(on system: System, operations: Int) throws(WorkloadError) {
    self.system = system
    storage = try SlotStorage(for: "cancel", count: operations)
  }

  package var operationsPerIteration: Int { storage.count }

  package func iterate(workers: Int, recorder: inout IterationRecorder) throws(WrongAnswer) {
    let held = system.limit.open(workers)
    recorder.begin()
    let program = system.build(storage.slots, storage.count, workers)
    recorder.built()
    system.run(program)
    recorder.ran()
    system.drop(program)
    recorder.released()
    system.limit.close(held)
    if let difference = storage.difference(expected: 0) {
      throw WrongAnswer(
        message: "cancel on \(system.name): a cancelled body has run: \(difference)")
    }
  }
}

/// `submit-latency` on a reference system.
package final class NativeSubmitLatency: ReferenceWorkload {
  /// What a system does; the word is a handle.
  package struct System: Sendable {
    /// As in `--reference`, for messages.
    package var name: String
    /// How it is told its number of workers.
    package var limit: NativeLimit
    /// Makes what samples are submitted to.
    package var open: @Sendable (_ workers: Int) -> UInt
    /// Submits one body that stamps and increments, and waits for it; returns the time just before
    /// it was submitted.
    package var sample: @Sendable (UInt, _ stamps: Stamps, _ slots: Slots, _ index: Int) -> UInt64
    /// Frees what `open` made.
    package var close: @Sendable (UInt) -> Void

    /// A system; see the properties.
    package init(
      name: String, limit: NativeLimit = .none, open: @escaping @Sendable (Int) -> UInt,
      sample: @escaping @Sendable (UInt, Stamps, Slots, Int) -> UInt64,
      close: @escaping @Sendable (UInt) -> Void
    ) {
      self.name = name
      self.limit = limit
      self.open = open
      self.sample = sample
      self.close = close
    }
  }

  private let system: System
  private let storage: SlotStorage
  private let started: StampStorage

  /// That many samples.
  package init(on system: System, samples: Int) throws(WorkloadError) {
    self.system = system
    storage = try SlotStorage(for: "submit-latency", count: samples)
    started = try StampStorage(for: "submit-latency", count: samples)
  }

  package var operationsPerIteration: Int { storage.count }

  package func iterate(workers: Int, recorder: inout IterationRecorder) throws(WrongAnswer) {
    var submitted = [UInt64](repeating: 0, count: storage.count)
    let held = system.limit.open(workers)
    recorder.begin()
    let handle = system.open(workers)
    recorder.built()
    for index in submitted.indices {
      WorkerHold.spin(nanoseconds: SubmitLatency.gapNanoseconds)
      submitted[index] = system.sample(handle, started.stamps, storage.slots, index)
    }
    recorder.ran()
    system.close(handle)
    recorder.released()
    system.limit.close(held)
    try storage.checkIteration(of: "submit-latency on \(system.name)")
    for latency in try SubmitLatency.latencies(submitted: submitted, started: started.values) {
      recorder.latency(nanoseconds: latency)
    }
  }
}
