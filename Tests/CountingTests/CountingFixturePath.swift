// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The program in whose children these tests count; built beside the tests.
let countingFixture: String = {
  let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
  let folders = ([tests] + CommandLine.arguments.filter { $0.contains(".xctest") })
    .map { URL(fileURLWithPath: $0).deletingLastPathComponent() }
  let fixture = folders.map { $0.appendingPathComponent("CountingFixture").path }
    .first { FileManager.default.isExecutableFile(atPath: $0) }
  return fixture ?? "CountingFixture"
}()
