// SPDX-License-Identifier: Apache-2.0

import CSystemShims
import ConcurrencyPrimitives
import Scheduling
import Synchronization

// What a recording gets of operations. Whoever calls these has seen that one is under way, by
// `isRecording`; none of them is on the way of an operation otherwise. Page: Recording.md of
// Scheduling.

/// Whether a recording is under way; one comparison, which all hooks share.
@inline(__always) var isRecording: Bool { shim_is_recording() != 0 }

/// Whether the recording that is under way has all kinds of events, and not only those of latency.
@inline(__always) var isRecordingAll: Bool { shim_is_recording_all() != 0 }

/// Not 0 while a recording is under way: for hooks that share the test of something else.
@inline(__always) var recordingWord: UInt32 { shim_recording_word() }

/// The names that events tell by number.
package enum RecordedNames {
  private static let numbers = Locked<[String: UInt64]>([:])

  /// The number of a name, the same for the same name until `reset()`.
  package static func number(of name: String) -> UInt64 {
    numbers.withLock { numbers in
      let number = numbers[name] ?? UInt64(numbers.count)
      numbers[name] = number
      return number
    }
  }

  /// The names by number.
  package static var all: [String] {
    numbers.withLock { $0 }.sorted { $0.value < $1.value }.map(\.key)
  }

  /// Forgets them; before a recording begins.
  package static func reset() { numbers.withLock { $0 = [:] } }
}

extension Operation {
  @inline(never) final func recordCreation() {
    EventRings.note(
      .created, word, argument: UInt64(UInt(bitPattern: ObjectIdentifier(type(of: self)))))
  }

  /// A queue takes the operation: that, its name and its edges.
  ///
  /// Before it is a member.
  @inline(never) final func recordSubmission(to queue: OperationQueue, behind barrier: Operation?) {
    guard isRecordingAll else { return }
    // acquire, edge EditLock: sees dependencies that other threads have added.
    let seen = state.load(ordering: .acquiring)
    // Without a table all there is to tell are words, which can be read while others edit.
    let locks = seen & (StateBit.lock | StateBit.edgesInCold) != 0 || hasColdTable
    let bits = locks ? lockState() : seen
    defer { if locks { unlockState(bits) } }
    if locks, let name = coldTable?.name { recordName(name) }
    let band = PriorityBand(lowBitsOf: UInt(bits & StateBit.bandMask) >> StateBit.bandShift)
    let details = EnqueueDetails(band: band, isBarrier: bits & StateBit.barrier != 0)
    EventRings.noteTogether { moment in
      moment.note(.enqueued, word, argument: UInt64(queue.word), info: details.info)
      unsafe forEachEdge(bits) { _, dependency in
        moment.note(.edge, word, argument: UInt64(dependency))
      }
      if let barrier { moment.note(.edge, word, argument: UInt64(barrier.word), info: 1) }
    }
  }

  /// Something holds it back again, though its dependencies have finished.
  @inline(never) final func recordHold(byResource isResource: Bool) {
    EventRings.note(.held, word, info: isResource ? 1 : 2)
  }

  /// It is sealed.
  @inline(never) final func recordFinish() {
    EventRings.note(.finish, word, info: finishDetails.info)
  }

  /// How it has ended.
  final var finishDetails: FinishDetails {
    // acquire, edge EditLock.
    let bits = state.load(ordering: .acquiring)
    return FinishDetails(
      isCancelled: bits & StateBit.cancelled != 0, hasFailed: failure != nil,
      isSkipped: bits & (StateBit.skipped | StateBit.finishRequested) != 0)
  }

  @inline(never) final func recordName(_ name: String) {
    EventRings.note(.named, word, argument: RecordedNames.number(of: name))
  }
}

extension OperationQueue {
  /// A closure was taken, whose cell is `node`.
  @inline(never) final func recordClosure(_ node: UInt) {
    EventRings.note(.closureAdded, node, argument: UInt64(word))
  }

  @inline(never) static func recordClosureFinish(_ node: UInt, isSkipped: Bool) {
    let details = FinishDetails(
      isCancelled: isSkipped, hasFailed: false, isSkipped: isSkipped)
    EventRings.note(.finish, node, info: details.info)
  }

  /// The queue is new.
  @inline(never) static func recordQueue(_ word: UInt) { EventRings.note(.queueMade, word) }

  @inline(never) final func recordQueueName(_ name: String) {
    EventRings.note(.queueNamed, word, argument: RecordedNames.number(of: name))
  }

  /// The limit as it was set.
  @inline(never) final func recordLimit(_ limit: Int, isOld: Bool = false) {
    EventRings.note(
      .queueLimit, word, argument: UInt64(bitPattern: Int64(limit)), info: isOld ? 1 : 0)
  }

  @inline(never) final func recordSuspension(_ isSuspended: Bool, isOld: Bool = false) {
    EventRings.note(
      .queueSuspended, word, argument: isSuspended ? 1 : 0, info: isOld ? 1 : 0)
  }

  /// Tells the recording that has begun of the queues that there are: name, limit and suspension.
  package static func recordLiveQueues() {
    for queue in LiveQueues.all() {
      recordQueue(queue.word)
      let name = queue.attributes.withLock { $0.name }
      if let name { queue.recordQueueName(name) }
      queue.control.withLock { control in
        queue.recordLimit(control.limit, isOld: true)
        queue.recordSuspension(queue.isSuspendedNow, isOld: true)
      }
    }
  }
}
