// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The whole number in an environment variable.
func integerFromEnvironment(_ name: String) -> Int? {
  ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
}
