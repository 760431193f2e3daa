// SPDX-License-Identifier: Apache-2.0

internal import ConcurrencyPrimitives
internal import Harness
internal import Synchronization

/// Threads that begin together, for workloads with several submitters.
///
/// They are made before the figures begin and wait, asleep, for `go()`. One thread makes, starts
/// and joins a team.
final class ThreadTeam {
  private let threads: [(thread: SystemThread, gate: Parker)]

  /// As many threads, each of which will run `body` with its number.
  init(_ count: Int, for name: String, _ body: @escaping @Sendable (Int) -> Void)
    throws(WrongAnswer)
  {
    var threads: [(SystemThread, Parker)] = []
    let fault = PlantedFault.current
    for number in 0..<count {
      let gate = Parker()
      do throws(SystemThreadError) {
        let thread = try SystemThread.start(name: "submitter") {
          gate.park()
          PlantedFault.$current.withValue(fault) { body(number) }
        }
        threads.append((thread, gate))
      } catch {
        // Those that are there sleep until the process ends, which it does with this message.
        throw WrongAnswer(message: "\(name): \(error)")
      }
    }
    self.threads = threads
  }

  /// Wakes all.
  func go() { for (_, gate) in threads { gate.unpark() } }

  /// Waits until every body has returned.
  func join() { for (thread, _) in threads { thread.join() } }
}

/// Tells a thread of a team to end.
final class StopFlag: Sendable {
  private let flag = Atomic(false)

  // relaxed, both: whoever raises it joins the thread, which orders everything.
  /// Whether it is raised.
  var isRaised: Bool { flag.load(ordering: .relaxed) }

  /// Raises it.
  func raise() { flag.store(true, ordering: .relaxed) }
}
