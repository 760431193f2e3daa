// SPDX-License-Identifier: Apache-2.0

internal import Results

/// What the threads of a process got of the processors, as Linux counts it.
package struct ThreadTimes: Sendable, Equatable {
  /// One thread.
  package struct Entry: Sendable, Equatable {
    /// The system's number of the thread.
    package var systemID: Int32
    /// Time on a processor, ns.
    package var ran: UInt64
    /// Time for which it could have run and had no processor, ns: run-queue delay.
    package var waited: UInt64
    /// How often it got a processor.
    package var slices: UInt64

    package init(systemID: Int32, ran: UInt64, waited: UInt64, slices: UInt64) {
      self.systemID = systemID
      self.ran = ran
      self.waited = waited
      self.slices = slices
    }

    /// The thread whose file `schedstat` holds `text`; nil when that is none.
    init?(systemID: Int32, text: String) {
      let numbers = text.split(whereSeparator: \.isWhitespace).map { UInt64($0) }
      guard numbers.count == 3, let ran = numbers[0], let waited = numbers[1],
        let slices = numbers[2]
      else { return nil }
      self.init(systemID: systemID, ran: ran, waited: waited, slices: slices)
    }
  }

  /// Why there are no times.
  package enum Refusal: Error, Equatable, Sendable {
    /// The kernel has no such files.
    case absent
    /// The kernel has them and counts nothing.
    case off

    package var finding: String {
      switch self {
      case .absent: "the kernel keeps no times of threads: there is no /proc/self/schedstat"
      case .off: "the kernel counts no delays of threads: /proc/self/schedstat is all zeros"
      }
    }

    package var expectation: String { "a kernel that counts how long threads wait" }

    /// What grants it.
    package var remedy: String {
      switch self {
      case .absent: "run a kernel with CONFIG_SCHED_INFO, and with /proc mounted"
      case .off: "sudo sysctl kernel.task_delayacct=1"
      }
    }
  }

  /// By the system's number.
  package var entries: [Entry]

  /// Why this machine tells nothing; nil where it does.
  ///
  /// - Parameter proc: the folder that Linux calls `/proc`.
  package static func refusal(proc: String = "/proc") -> Refusal? {
    guard let bytes = try? File.read("\(proc)/self/schedstat"),
      let entry = Entry(systemID: 0, text: String(decoding: bytes, as: UTF8.self))
    else { return .absent }
    // This thread has had a processor, or it could not ask.
    return entry.slices == 0 ? .off : nil
  }

  /// The threads that a process has now.
  ///
  /// A thread that ends meanwhile is left out.
  package init(ofProcess process: Int32, proc: String = "/proc") {
    let folder = "\(proc)/\(process)/task"
    let names = (try? File.names(in: folder)) ?? []
    entries = names.compactMap { name in
      guard let number = Int32(name),
        let bytes = try? File.read("\(folder)/\(name)/schedstat")
      else { return nil }
      return Entry(systemID: number, text: String(decoding: bytes, as: UTF8.self))
    }
  }

  package init(entries: [Entry]) { self.entries = entries }

  /// What the threads got since an earlier look; those that are new since then are whole.
  package func since(_ earlier: ThreadTimes) -> ThreadTimes {
    let before = Dictionary(
      earlier.entries.map { ($0.systemID, $0) }, uniquingKeysWith: { first, _ in first })
    return ThreadTimes(
      entries: entries.map { entry in
        guard let old = before[entry.systemID], old.ran <= entry.ran, old.waited <= entry.waited,
          old.slices <= entry.slices
        else { return entry }
        return Entry(
          systemID: entry.systemID, ran: entry.ran - old.ran, waited: entry.waited - old.waited,
          slices: entry.slices - old.slices)
      })
  }
}
