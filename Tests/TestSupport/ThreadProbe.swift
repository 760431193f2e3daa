// SPDX-License-Identifier: Apache-2.0

internal import ConcurrencyPrimitives
internal import Foundation
internal import SchedulerConformance
package import Scheduling
internal import Synchronization

/// The system's view of one thread, by its entry under `/proc`.
package struct ThreadProbe: Hashable, Sendable {
  private let path: String

  /// The calling thread.
  package static var current: ThreadProbe {
    let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
    guard let link else {
      fatalError("/proc/thread-self is missing; the tests need Linux's /proc.")
    }
    return ThreadProbe(path: "/proc/" + link)
  }

  /// False once the thread has ended.
  package var exists: Bool { FileManager.default.fileExists(atPath: path) }

  /// The name that the system shows.
  package var name: String {
    let text = try? String(contentsOfFile: path + "/comm", encoding: .utf8)
    return text?.trimmingCharacters(in: .newlines) ?? ""
  }

  /// The processors that the thread may run on, as the system writes them: `0-3,8`; empty once it
  /// has ended.
  package var allowedProcessors: String {
    let text = (try? String(contentsOfFile: path + "/status", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed_list:") }
    return line?.split(separator: "\t").last.map(String.init) ?? ""
  }

  /// Nanoseconds of processor time that the thread has used; 0 once it has ended.
  package var processorNanoseconds: Int {
    let text = try? String(contentsOfFile: path + "/schedstat", encoding: .utf8)
    return text?.split(separator: " ").first.flatMap { Int($0) } ?? 0
  }

  /// The threads of that many workers, found by jobs that wait for each other.
  ///
  /// Fewer when the scheduler does not run as many at the same time within the deadline.
  package static func workers(_ count: Int, of scheduler: any Scheduler) -> Set<ThreadProbe> {
    let shared = Rendezvous()
    for _ in 0..<count {
      scheduler.submit {
        let probe = current
        shared.found.withLock { _ = $0.insert(probe) }
        _ = waitUntil { shared.found.withLock { $0.count } == count }
        // release: pairs with the acquire below.
        shared.left.add(1, ordering: .releasing)
      }
    }
    // acquire: pairs with the release above.
    _ = waitUntil(deadline: .seconds(60)) { shared.left.load(ordering: .acquiring) == count }
    return shared.found.withLock { $0 }
  }
}

/// What the jobs of `ThreadProbe.workers` share.
private final class Rendezvous: Sendable {
  let found = Locked<Set<ThreadProbe>>([])
  let left = Atomic<Int>(0)
}
