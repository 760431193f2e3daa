// SPDX-License-Identifier: Apache-2.0

internal import ConcurrencyPrimitives
internal import Operations

/// Runs `body`, keeps the warnings that contain `name` off stderr meanwhile, and returns them.
package func warnings(naming name: String = "", during body: () -> Void) -> [String] {
  let found = Locked<[String]>([])
  taking(
    { message in
      guard name.isEmpty || message.contains(name) else { return false }
      found.withLock { $0.append(message) }
      return true
    }, during: body)
  return found.withLock { $0 }
}

/// Runs `body` and keeps off stderr meanwhile what the kit's own operations are warned of: they do
/// it on purpose.
func withoutOwnWarnings<Value>(_ body: () -> Value) -> Value {
  let names = ["\(TestAsyncOperation.self)", "\(SelfFinishingOperation.self)"]
  return taking({ message in names.contains { message.contains($0) } }, during: body)
}

private func taking<Value>(
  _ taker: @escaping Warning.Handler.Taker, during body: () -> Value
) -> Value {
  let number = Warning.handler.withLock { $0.add(taker) }
  defer { Warning.handler.withLock { $0.remove(number) } }
  return body()
}
