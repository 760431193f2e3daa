// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The calling thread's number as /proc knows it.
func currentThreadNumber() -> String {
  let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
  return link?.split(separator: "/").last.map(String.init) ?? ""
}

/// Nanoseconds that a thread has spent on a processor.
func processorTicks(_ thread: String) -> String {
  let path = "/proc/self/task/\(thread)/schedstat"
  let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
  return text.split(separator: " ").first.map(String.init) ?? ""
}
