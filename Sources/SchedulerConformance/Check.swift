// SPDX-License-Identifier: Apache-2.0

/// One thing that is tried on a scheduler: what it shows, its name, and what is done.
///
/// The name is the claim. A body says through its trial what it expected and found; it may also
/// throw a `SchedulerConformance.Failure`, which ends it. `scripts/contract-coverage` reads the
/// statements of a check from the source.
package struct Check: Sendable {
  /// The statements that a check shows; `.contract(26, 27)` reads like the trait of a test.
  package struct Shown: Sendable {
    let statements: [SchedulerConformance.Statement]

    package static func contract(_ numbers: Int...) -> Shown {
      Shown(statements: numbers.map { .contract($0) })
    }

    package static func seam(_ promises: SchedulerConformance.Promise...) -> Shown {
      Shown(statements: promises.map { .seam($0) })
    }
  }

  /// With how many workers a check runs.
  package enum Workers: Sendable {
    /// With every number asked for.
    case all
    /// With two, or the last number asked for: what takes long and does not depend on the number.
    case usual
    /// With one: what is only determined then.
    case one
  }

  package typealias Body = @Sendable (Trial) throws(SchedulerConformance.Failure) -> Void

  /// The claim, in camel case.
  package let name: String
  package let statements: [SchedulerConformance.Statement]
  /// Promises that the check rests on: it is skipped where one of them is excepted, or optional and
  /// not kept.
  let needs: [SchedulerConformance.Promise]
  let workers: Workers
  /// For a fault: what the message on standard error must contain.
  ///
  /// The body runs in a process of its own.
  let message: [String]?
  /// Whether everything else rests on it: when it fails the others are not run.
  let isFoundation: Bool
  /// Replaces the limit of the options, for a check that is known to hang.
  package var timeLimit: Duration?
  let body: Body

  /// A check of behaviour.
  package init(
    _ name: String, _ shown: Shown, isFoundation: Bool = false,
    needs: [SchedulerConformance.Promise] = [],
    on workers: Workers = .all, _ body: @escaping Body
  ) {
    self.name = name
    statements = shown.statements
    self.needs = needs
    self.workers = workers
    message = nil
    self.isFoundation = isFoundation
    self.body = body
  }

  /// A check that the body stops the process with a message that contains all of these texts.
  package init(
    _ name: String, _ shown: Shown, says message: [String],
    needs: [SchedulerConformance.Promise] = [],
    _ body: @escaping Body
  ) {
    self.name = name
    statements = shown.statements
    self.needs = needs
    workers = .usual
    self.message = message
    isFoundation = false
    self.body = body
  }

  /// Every check, those of the protocol first: what rests on them is only as good as they are.
  package static let all: [Check] = seam + operations + faults

  /// What the protocol asks of a back end.
  package static let seam: [Check] = delivery + order + blocking + offering + ending + randomGraphs

  /// What operations and queues do on it.
  package static let operations: [Check] =
    running + dependencies + readiness + cancelling + completion + asynchronous + priority
    + waiting + adding + handles + limits + memory + cost

  /// The name as words.
  package var claim: String {
    var words = ""
    for character in name {
      if character.isUppercase {
        words += " " + character.lowercased()
      } else {
        words.append(character)
      }
    }
    return words
  }
}

extension Check: CustomStringConvertible {
  package var description: String { name }
}
