// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives

/// A batch of operations that no other step knows; they depend on each other at most.
package struct Fresh: Sendable, Equatable {
  /// What the batch is made of comes from this.
  package var seed: UInt64
  /// A barrier follows the batch.
  package var hasBarrier = false
  /// The body waits for all of them, without a timeout.
  package var waits = false

  package init(seed: UInt64) { self.seed = seed }

  /// What a member is.
  enum Kind: Int, CaseIterable { case subclass, block, cancelling, starting, group }

  struct Member {
    var kind: Kind
    var level: Int
    /// Earlier and later members, in no circle.
    var dependencies: [Int] = []
    /// Depends on what was cancelled, has finished and passes that on.
    var isHeir = false
    /// Depends on what overrides of `cancel()` may finish, and on what the end of the program does.
    var needsFirst = false
    var needsLast = false
    var passesOn = false
    /// Somebody is told of its end.
    var isTold = false
    /// Its override of `cancel()` finishes what others wait for, before its own mark.
    var releases = false
  }

  struct Content {
    var members: [Member] = []
    /// The queue of its own is limited to 0 until the batch is in.
    var beginsAtZero = false
    var limit = 1
  }

  /// The batch, always the same for a seed.
  ///
  /// What is waited for needs nothing else.
  var content: Content {
    var random = SeededGenerator(seed: seed)
    func below(_ bound: Int) -> Int { random.index(below: bound) }
    func chance(_ bound: Int) -> Bool { below(bound) == 0 }
    var content = Content()
    let hasHeirs = chance(2)
    let hasReleases = hasHeirs && chance(3) && !waits
    let usesLast = chance(4) && !waits
    let count = 2 + below(6)
    // Dependencies go along a random order, so also from earlier ones to later ones.
    let ranks = (0..<count).map { _ in below(1_000) }
    for number in 0..<count {
      var member = Member(
        kind: chance(2) ? .block : Kind.allCases[below(5)],
        level: chance(2) ? 0 : [-8, -4, 0, 4, 8][below(5)])
      member.dependencies = (0..<count).filter {
        (ranks[$0], $0) < (ranks[number], number) && chance(4)
      }
      if hasHeirs, chance(3) {
        member.isHeir = true
        member.needsLast = chance(4) && !waits
        member.releases = hasReleases && chance(2)
        if member.releases { member.kind = chance(3) ? .cancelling : .group }
      }
      member.needsFirst = hasReleases && chance(3)
      if usesLast, chance(4) { member.needsLast = true }
      member.passesOn = chance(6)
      member.isTold = chance(3)
      content.members.append(member)
    }
    content.beginsAtZero = chance(4)
    return content
  }
}

extension Fresh: CustomStringConvertible {
  package var description: String {
    "fresh operations of seed \(seed)\(hasBarrier ? " and a barrier" : "")"
      + (waits ? " and wait for them" : "")
  }
}

extension Fresh.Content {
  /// Those that may be cancelled when nobody cancels the queue.
  var mayBeCancelled: Set<Int> {
    var found = Set(members.indices.filter { members[$0].isHeir })
    var isGrowing = true
    while isGrowing {
      isGrowing = false
      for (number, member) in members.enumerated() {
        let inherits = member.dependencies.contains { found.contains($0) && members[$0].passesOn }
        if inherits, found.insert(number).inserted { isGrowing = true }
      }
    }
    return found
  }

  /// Nothing keeps it from starting when the batch is in.
  func isFree(_ number: Int) -> Bool {
    let member = members[number]
    return member.dependencies.isEmpty && !member.isHeir && !member.needsFirst && !member.needsLast
  }

  /// Whether the order in which members start follows from the batch alone: else an override lets
  /// some of them go in the middle of it.
  var isOrdered: Bool { !members.contains(where: \.releases) }
}
