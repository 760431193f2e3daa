// SPDX-License-Identifier: Apache-2.0

extension SchedulerConformance.Statement {
  /// What the row of `Contract.md` with this number says; empty where there is none.
  static func contractText(_ number: Int) -> String {
    contractRows.indices.contains(number - 1) ? contractRows[number - 1] : ""
  }

  /// The statements of `Contract.md` in order, word for word, which a test compares: a program has
  /// no other way to it.
  package static let contractRows: [String] = rows.split(separator: "\n").map(String.init)

  private static let rows = """
    Ready, executing, finished and cancelled are separate facts; being asynchronous belongs to the class.
    A new operation is ready and nothing else: normal priority, no name, block or dependency.
    States only go forward, and finished is for good.
    No reader sees executing and finished at once.
    Executing holds as long as the body runs, seen from inside too.
    A plain `Operation` finishes without doing anything.
    A subclass overrides `main` and leaves `super.main` alone.
    Equality and hash are identity.
    Operations and queues may be used from any thread without locks.
    A body runs at most once, whoever starts it or calls `main()`.
    `start()` by hand runs the body on the calling thread and returns when it has finished.
    `start()` of a finished operation does nothing.
    `start()` of a cancelled operation skips the body, finishes and runs the block.
    `start()` before the operation is ready is a fault, `tryStart()` throws `notReady`.
    `start()` during execution is a fault, `tryStart()` throws; of two callers one wins.
    `start()` of a member of a queue is a fault that names the queue.
    What was started by hand cannot be queued any more.
    Dependencies, cancellation, block and waiters treat an operation started by hand like a queued one.
    A dependency keeps its dependent from being ready until it has finished.
    Edges cross queues and schedulers, and join queued and hand-started operations.
    Of several dependencies the last to finish makes ready.
    A cancelled dependency releases its dependents too, and they can ask.
    A finished dependency changes no readiness and is listed.
    Adding an edge twice is adding it once.
    `dependencies` keeps the order of adding, and finished ones, until they are removed.
    Removing an unfinished dependency lifts it at once, also in a queue.
    Removing what is no dependency does nothing.
    Edges may be edited while the dependent waits in its queue.
    Edits after the start change nothing; strict mode makes them a fault.
    A self-dependency is a fault at once, `tryAddDependency` throws.
    A longer cycle hangs nobody, sleeps until it is broken, and is reported.
    `validateGraph` finds a cycle, names its path, and is linear.
    A dependency that nobody starts holds its dependents, and the stall report names it.
    A dependent may be dropped before its dependency finishes.
    A dependent's body sees what the dependency's body wrote.
    100 000 edges into one operation or out of one; adding an edge costs the same however many there are.
    Ready is: every dependency finished, or cancelled.
    A subclass combines its own condition with that of `super`.
    A queue starts nothing whose own condition is false.
    An announced condition starts the operation without further help, however it races with adding.
    A condition withdrawn and announced in time prevents the start.
    Condition objects, an open gate, a token or a predicate, do the same without overriding.
    `cancel()` sets the flag and prompts the machinery; only the first call is noticed.
    `cancel()` after the finish changes nothing.
    Cancelled outside a queue means cancelled and ready, not finished; `cancelAndFinish()` finishes.
    A cancelled operation may be queued and finishes without running.
    A queued one that is cancelled forgets its dependencies, finishes without running, and leaves.
    That happens on a thread of the scheduler, never inside `cancel()`.
    It needs no slot where the class does not override `start()`, or says so in `isSkippedWithoutSlot`.
    A suspended queue keeps its cancelled members until it is resumed.
    Cancelled while executing: both hold until the body returns.
    `cancelAllOperations()` takes in what is held at that moment, from anywhere.
    Dependents are not cancelled along, unless asked for.
    Removing dependencies after the cancellation leaves the operation startable.
    A custom `start()` sees the cancellation and still has to finish.
    Runs once, after finished is true, cancelled or not.
    Takes and returns nothing, on any thread, with no lock held.
    Reads nil once handed over, and its captures go.
    Assigned after the finish it does not run; `onFinish` does.
    A wait for the queue covers the blocks, a wait for the operation need not.
    Runs on the thread that finishes the operation, after dependents and waiters, before the operation leaves.
    May use the whole interface; waiting for its own queue is a fault.
    A subclass may drive its own state and announce it under either spelling of the keys.
    A queue starts asynchronous operations on a thread of the scheduler like any other.
    Slot, place and dependents are held until the finish is announced.
    Finished before the queue started it: it leaves, dependents are released, a warning is logged.
    Queuing what is queued, executing or finished is a fault, `tryAdd` throws.
    `AsyncOperation` needs one method or closure and `finish()`.
    `finish()` may come from anywhere, any number of times; surplus calls are counted.
    A cancel hook runs at most once, only after the begin; `finishOnCancel` finishes by itself.
    No notification is sent under the base class's lock.
    A closure may be `async throws` and runs on the queue's scheduler.
    One that never finishes shows in the stall report, with its age; started by hand, if a member of a queue waits for it.
    Holds any number of closures, finishes after the last, and lets go of them.
    Its closures may run beside each other.
    They count as one against the limit; `.serial` makes them run in a row.
    `executionBlocks` keeps the order; each runs once.
    A closure for a started operation is a fault, with a throwing twin.
    `ResultOperation` wraps what may throw and exposes a result, nil until finished.
    `value()` gives the value, the body's error, `cancelled` or `notFinished`.
    A body that ran to its end keeps its result although cancelled.
    A result can be injected along an edge before the dependent starts.
    Five levels, -8 to 8, default 0.
    Rounding moves toward normal to the first level.
    The highest ready level starts first; what waits holds nobody back.
    Equal and ready at submission means in order of submission.
    No member of a batch starts before all are in.
    A change while queued takes effect, at the tail of the new level.
    Levels are compared within one queue.
    Quality of service does not order.
    Four levels and default, which means unspecified.
    A new operation is unspecified and takes its queue's.
    The effective level is the higher of the two.
    The level of an operation reaches its thread.
    Applied as niceness of the worker while it runs the body, where the system permits putting it back; what was asked for and what was applied is reported.
    A change of the queue's level affects what starts later.
    `threadPriority` is clamped, holds during the body, and says when it could not be applied.
    Names are synchronised and appear in diagnostics; queues have one by default.
    `waitUntilFinished()` returns when finished, at once if it is.
    Waiting for oneself is a fault.
    Waiting inside an operation does not deadlock; an impossible wait is a fault. Running operations of two queues that wait for each other are reported, not stopped.
    Waits with a timeout, and `await finished()`.
    A wait for the queue covers what is added meanwhile, and barriers.
    When a wait for an operation returns it has finished; when a wait for the queue returns nothing is listed.
    A queue keeps its members alive; a batch can be waited for and may be empty.
    A batch with one illegal member adds none.
    Operations may be added from anywhere.
    `addOperation { }` takes a sendable closure and returns a handle.
    Nothing can be removed, only cancelled.
    A queue with pending operations lives until they have finished.
    The default limit leaves it to the scheduler, 0 starts nothing, below -1 is a fault.
    Never more than the limit; a change interrupts nothing and takes effect at once.
    Limit 1 is serial by priority and readiness, not first in, first out.
    As many operations as limit and workers allow run although they block on each other.
    Suspension stops starts, nothing else.
    A barrier runs alone between older and younger, obeys suspension, limit and cancel, and is not counted.
    `operations` is a snapshot in order, `operationCount` agrees and is constant time, `stallReport()` gives reasons.
    `current` is the queue of the body that runs, nil in blocks and elsewhere.
    `main` runs on the main thread, when that is serviced, and ignores changes.
    `underlyingQueue` moves an empty queue of any scheduler to a dispatch queue, nil moves it back; on a queue that holds something it is a fault.
    Progress counts bodies that ended, once a total is set.
    Eight facts of an operation can be observed, and what a subclass adds and announces.
    Five facts of a queue can be observed.
    `observe` gives a token whose end ends it.
    Handlers run on the changing thread, with no lock held.
    Per object in order, none lost, none twice, with old and new value.
    The order of events at a finish; a thread that is still telling an earlier event tells the later ones, and the finish does not wait for it.
    Without observers one branch.
    The same hook feeds a profiler, with worker and time.
    A queue lets go of what has left.
    Finished dependencies are dropped where asked for, by an operation or by its queue.
    A chain of 1 000 000 is released on any stack.
    A suspended queue that was dropped is reported; `invalidate()` drains it.
    The cost of one operation does not depend on how many wait.
    Cheaper than Foundation's operations.
    No thread is held by an operation that waits.
    Every statement is shown on every scheduler.
    An operation that blocks delays other queues by no more than the bound of the scheduler.
    The scheduler changes who runs and when, never whether something may start.
    A node of a graph runs once per run, after its predecessors, and sees what they wrote.
    Ready nodes start in the order of their levels.
    A cancelled run skips the nodes that have not started, and finishes.
    A graph runs once at a time: a second run is refused, until handlers of the first are called.
    A cycle, or a node of another graph, is an error that names the nodes.
    Waiting for a run, and waiting inside a node, follow the rules for operations.
    A graph's operation takes part in dependencies and cancellation.
    Both halves of a fork run once, and the join sees what they wrote.
    A half that another worker takes belongs to the same operation; a worker that waits for it is replaced.
    Both halves have run when an error leaves a join, and the first one's wins.
    """
}
