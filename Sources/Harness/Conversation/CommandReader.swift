// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Glibc

/// The child's side of the command pipe.
struct CommandReader {
  private let descriptor: Int32
  private var lines = LineBuffer()
  private var chunk = [UInt8](repeating: 0, count: 4096)

  init(descriptor: Int32 = Int32(SHIM_CHILD_COMMANDS)) { self.descriptor = descriptor }

  /// The next command, waited for; ends the process when the orchestrator will say nothing more.
  mutating func next() throws(MessageError) -> Command {
    while true {
      if let line = try lines.next() { return try Command(text: line) }
      // SAFETY: the array has room for `count` bytes and lives through the call.
      let count = unsafe shim_read_available(descriptor, &chunk, UInt64(chunk.count))
      // The orchestrator is gone, and the liveness thread is about to say the same.
      guard count > 0 else { _exit(125) }
      lines.append(chunk.prefix(Int(count)))
    }
  }
}
