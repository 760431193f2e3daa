// SPDX-License-Identifier: Apache-2.0

extension SchedulerConformance {
  /// What a check shows: a statement of the operation contract by its number, or a promise of the
  /// scheduler protocol.
  public enum Statement: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// A promise that `Scheduler` documents.
    case seam(Promise)
    /// A row of `Contract.md` in the documentation of `Operations`, 1…149.
    case contract(Int)

    /// Its name and what it says: "seam .wakeUp: a submission to an idle scheduler is noticed".
    public var description: String { "\(name): \(text)" }

    /// As it is written in an exception: "seam .wakeUp", "contract 47".
    var name: String {
      switch self {
      case .seam(let promise): "seam .\(promise)"
      case .contract(let number): "contract \(number)"
      }
    }

    /// The promise in words, or the row of `Contract.md`.
    var text: String {
      switch self {
      case .seam(let promise): promise.rawValue
      case .contract(let number): Self.contractText(number)
      }
    }

    /// What the author of a scheduler may do about it besides mending it; nil where there is no
    /// choice.
    var alternative: String? {
      guard case .seam(let promise) = self, promise.isOptional else { return nil }
      return "optional: fix it, or declare options.exceptions += [.seam(.\(promise), \"why\")]"
    }

    /// Promises of the protocol first, since what rests on them is only as good as they are; then
    /// by number.
    public static func < (lhs: Statement, rhs: Statement) -> Bool {
      switch (lhs, rhs) {
      case (.seam(let left), .seam(let right)): left.position < right.position
      case (.seam, .contract): true
      case (.contract, .seam): false
      case (.contract(let left), .contract(let right)): left < right
      }
    }
  }

  /// What `Scheduler` asks of a back end, and what some back ends promise beyond it.
  public enum Promise: String, Hashable, Sendable, CaseIterable {
    /// Needed for memory safety: a job that runs twice is used after it is gone.
    case exactlyOnce = "every submitted job runs exactly once"
    /// Release on submission, acquire before the run.
    case visibility = "a job sees what was written before it was submitted"
    /// An idle worker must notice a submission.
    case wakeUp = "a submission to an idle scheduler is noticed"
    /// `WorkerContext.ready` and the returned successor.
    case publication = "successors and jobs made ready run"
    /// `WorkerContext.worker` and `WorkerContext.scheduler`.
    case context = "the context names its scheduler and a worker below workerCount"
    /// `workerCount`.
    case bound = "never more jobs at a time than workers"
    /// `WorkerContext.prepareToIdle()`.
    case idleFunction = "the context prepares to idle before its worker idles"
    /// `priorityPolicy`; not asked of a scheduler that says `none`.
    case bands = "more urgent jobs are preferred"
    /// Queued jobs run although nobody holds the scheduler any more.
    case dropping = "jobs queued before the scheduler is dropped still run"
    /// `shutDown()`, whose default keeps it only where jobs run inside `submit`.
    case shutDown = "shutDown returns after the last job"
    /// `help()`, `willBlock()` and `didUnblock()` away from the scheduler's workers.
    case foreignThreads = "help and willBlock do nothing on other threads"
    /// `ForkJoinScheduler`; whoever does not conform keeps it.
    case offering = "an offered job runs once unless it is taken back"
    /// `AwaitingScheduler`; whoever does not conform keeps it.
    case awaiting = "a waiting job runs what it accepts and nothing else"
    /// Optional: a scheduler without threads runs jobs in `submit`.
    case ownThreads = "jobs run on threads of the scheduler, not inside submit"
    /// Optional: most urgent band first, first in, first out within it.
    case exactOrder = "one worker starts jobs in exact order"
    /// Optional: `willBlock()` lets another thread take over.
    case compensation = "announced blocks let other jobs run"
    /// Optional: `help()` runs queued jobs.
    case help = "a job that waits can run queued jobs"

    /// Whether a scheduler may do without it: such a promise says more than `Scheduler` asks.
    public var isOptional: Bool {
      switch self {
      case .ownThreads, .exactOrder, .compensation, .help: true
      default: false
      }
    }

    var position: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  }

  /// A statement that a scheduler does not keep, and why: its checks are skipped and reported as
  /// skipped.
  public struct Exception: Hashable, Sendable {
    /// What is not kept.
    public let statement: Statement
    /// Why that is right for this scheduler; shown in the report.
    public let reason: String

    /// The scheduler departs from a statement of the operation contract.
    public static func contract(_ number: Int, _ reason: String) -> Exception {
      Exception(statement: .contract(number), reason: reason)
    }

    /// The scheduler departs from a promise of the protocol.
    public static func seam(_ promise: Promise, _ reason: String) -> Exception {
      Exception(statement: .seam(promise), reason: reason)
    }
  }
}
