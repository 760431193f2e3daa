// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The whole number in an environment variable.
func integerFromEnvironment(_ name: String) -> Int? {
  ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
}

/// The content of a text file; empty when it cannot be read.
func textOfFile(_ path: String) -> String {
  (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
}
