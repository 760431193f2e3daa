// SPDX-License-Identifier: Apache-2.0

package import Harness
internal import Operations
package import Scheduling

/// Queues that run one operation at a time, as actors do, and send each other messages.
///
/// Stresses: many serial queues on one pool, and operations added to them from inside others. Does
/// not show: long operations. In a ring a message goes on to the next actor; all to all, it goes to
/// one after the other.
package final class Actors: Workload {
  /// To whom an actor sends.
  enum Topology: String, CaseIterable {
    case ring
    case allToAll = "all-to-all"
  }

  private let actors: Int
  private let messages: Int
  private let hops: Int
  private let topology: Topology
  private let storage: SlotStorage
  /// The queues of an iteration, as words.
  private let places: StampStorage

  init(_ topology: Topology, actors: Int, messages: Int, hops: Int) throws(WorkloadError) {
    self.topology = topology
    self.actors = actors
    self.messages = messages
    self.hops = hops
    storage = try SlotStorage(for: "actors", count: actors)
    places = try StampStorage(for: "actors", count: actors)
  }

  package var operationsPerIteration: Int { messages * hops }

  package func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    let slots = storage.slots
    let before = storage.values
    recorder.begin()
    var queues = (0..<actors).map { _ in
      let queue = OperationQueue(scheduler: scheduler)
      queue.maxConcurrentOperationCount = 1
      return queue
    }
    recorder.built()
    let places = places.stamps
    for (actor, queue) in queues.enumerated() { places[actor] = BorrowedQueue(queue).word }
    let underway = TokenCount(messages)
    let post = Post(
      route: route, slots: slots, places: places, underway: BorrowedTokenCount(underway))
    for message in 0..<messages { Self.send(message, 0, post) }
    try underway.wait(for: queues, "actors")
    withExtendedLifetime((queues, underway)) { recorder.ran() }
    queues = []
    recorder.released()
    // What each actor gets is known; a lost or doubled increment of its own slot shows two at once.
    var expected = before
    for message in 0..<messages {
      for hop in 0..<hops { expected[route.actor(message, hop)] &+= 1 }
    }
    let found = storage.values
    guard found == expected else {
      let wrong = found.indices.count { found[$0] != expected[$0] }
      throw WrongAnswer(
        message: "actors: \(wrong) of \(actors) have counted other messages than they were sent; "
          + "expected one at a time, and each once")
    }
  }

  /// Whom a message reaches.
  private struct Route: Sendable {
    let actors: Int
    let hops: Int
    let isRing: Bool

    func actor(_ message: Int, _ hop: Int) -> Int {
      isRing ? (message + hop) % actors : (message * 7 + hop * (message % actors + 1)) % actors
    }
  }

  private var route: Route { Route(actors: actors, hops: hops, isRing: topology == .ring) }

  /// What every hop needs.
  private struct Post: Sendable {
    let route: Route
    let slots: Slots
    let places: Stamps
    let underway: BorrowedTokenCount
  }

  private static func send(_ message: Int, _ hop: Int, _ post: Post) {
    let actor = post.route.actor(message, hop)
    BorrowedQueue(word: post.places[actor]).addOperation {
      post.slots.increment(actor)
      if hop + 1 < post.route.hops {
        send(message, hop + 1, post)
      } else {
        post.underway.arrive()
      }
    }
  }
}

extension WorkloadDescription {
  /// Serial queues that send each other messages.
  package static let actors = WorkloadDescription(
    name: "actors",
    summary: "serial queues that send each other messages, in a ring or all to all",
    notShown: "long operations",
    tags: ["throughput", "contention", "closures"],
    runsByDefault: false,
    axes: [
      Axis(
        name: "topology", summary: "to whom an actor sends", always: "ring",
        legal: .words(Actors.Topology.allCases.map(\.rawValue))),
      Axis(name: "actors", summary: "queues", smoke: 5, quick: 100, real: 1000, legal: 1...100_000),
      Axis(
        name: "messages", summary: "messages at once", smoke: 4, quick: 20, real: 100,
        legal: 1...100_000),
      Axis(
        name: "hops", summary: "actors that a message reaches", smoke: 20, quick: 500, real: 2000,
        legal: 1...10_000_000),
    ],
    make: { parameters throws(WorkloadError) in
      try Actors(
        Actors.Topology(rawValue: parameters.word("topology")) ?? .ring,
        actors: parameters["actors"], messages: parameters["messages"], hops: parameters["hops"])
    })
}
