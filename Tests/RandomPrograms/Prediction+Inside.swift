// SPDX-License-Identifier: Apache-2.0

extension Prediction {
  /// What bodies and completion blocks may do while things settle.
  struct Inside {
    var mayBeCancelled: [Bool]
    /// Added by a body.
    var arrives: [Bool]
    /// Of a held kind and told to finish.
    var mayEnd: [Bool]
    /// Started by hand.
    var starts: [Bool]

    /// Notes what a body does; false when it must not.
    mutating func note(
      _ steps: [Step], in prediction: Prediction, _ queueOf: inout [Int?]
    ) -> Bool {
      for step in steps {
        switch step {
        case .add(let number, let queue) where prediction.operations[number].phase == .idle:
          // Avoids `KnownDefect.cancelledAddedBehindBarrier`, whether or not the barrier is over by
          // then.
          if prediction.operations[number].isCancelled, prediction.hasBarrier(queue) {
            return false
          }
          // Two bodies that run at a time must not compete for the place that it gets.
          if arrives[number], queueOf[number] != queue { return false }
          arrives[number] = true
          queueOf[number] = queue
        case .cancel(let number): mayBeCancelled[number] = true
        case .finish(let number): mayEnd[number] = true
        // The body that has added it may be under way still: which of the two comes first is open.
        case .start(let number) where prediction.arrivedByBodies.contains(number): return false
        case .start(let number) where prediction.operations[number].phase == .idle:
          // Two bodies must not compete for it, and it must be certain that it may start.
          guard !starts[number], prediction.isReady(number) else { return false }
          guard prediction.plans[number].kind != .latched else { return false }
          // Avoids `KnownDefect.readinessComesLate`.
          guard prediction.operations[number].dependencies.isEmpty else { return false }
          starts[number] = true
        default: continue
        }
      }
      return true
    }

    /// Whether each operation is in a known state when it is cancelled, finished or started inside.
    func meetsKnownStates(in prediction: Prediction, _ runnable: [Bool]) -> Bool {
      prediction.plans.indices.allSatisfy { number in
        let operation = prediction.operations[number]
        if mayBeCancelled[number] {
          // The body that began with this step may be under way still.
          if prediction.isFinished(number), prediction.begun.contains(number) { return false }
          // What could begin might begin first; a closed condition and a barrier as for the step
          // `cancel`.
          guard !runnable[number], !arrives[number], !mayEnd[number], operation.isOpen else {
            return false
          }
          if prediction.isPending(number), prediction.isBehindBarrier(number) { return false }
        }
        if mayEnd[number] {
          // It must not begin meanwhile, and nobody may want its slot at an unknown moment.
          guard !runnable[number], prediction.plans[number].inCompletion.isEmpty else {
            return false
          }
          let queue = prediction.isExecuting(number) ? operation.queue : nil
          if let queue, prediction.queues[queue].limit >= 0 { return false }
        }
        return !(starts[number] && arrives[number])
      }
    }
  }
}
