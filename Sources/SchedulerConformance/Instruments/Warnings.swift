// SPDX-License-Identifier: Apache-2.0

internal import ConcurrencyPrimitives
internal import Operations

/// Runs `body`, keeps the warnings off stderr meanwhile, and returns those that contain `name`.
package func warnings(naming name: String = "", during body: () -> Void) -> [String] {
  let found = Locked<[String]>([])
  Warning.handler.withLock { handler in
    handler.take = { message in
      if name.isEmpty || message.contains(name) { found.withLock { $0.append(message) } }
    }
  }
  body()
  Warning.handler.withLock { $0.take = nil }
  return found.withLock { $0 }
}
