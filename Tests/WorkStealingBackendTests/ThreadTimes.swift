// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Numbers of the threads of this process that are workers of a work-stealing pool, by their names.
func workerThreads() -> [String] {
  let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
  return all.filter { thread in
    let name = try? String(contentsOfFile: "/proc/self/task/\(thread)/comm", encoding: .utf8)
    return name?.hasPrefix("steal-") ?? false
  }.sorted()
}

/// Nanoseconds that a thread has spent on a processor.
func processorTicks(_ thread: String) -> String {
  let path = "/proc/self/task/\(thread)/schedstat"
  let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
  return text.split(separator: " ").first.map(String.init) ?? ""
}
