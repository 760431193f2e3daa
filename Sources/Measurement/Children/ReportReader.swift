// SPDX-License-Identifier: Apache-2.0

internal import Harness

/// The orchestrator's side of the report pipe: turns bytes into reports, one after the other.
///
/// Pure. Feed bytes in any portions; what cannot be understood ends it, and the rest is ignored.
struct ReportReader {
  /// Who the child is; nil until its first line has come.
  private(set) var identity: ChildIdentity?
  /// Why the first line is none of this conversation.
  private(set) var refusal: HelloError?
  /// The first thing that could not be understood.
  private(set) var complaint: String?
  private var lines = LineBuffer()

  /// Takes what has come.
  mutating func feed(_ bytes: some Sequence<UInt8>) {
    if complaint == nil { lines.append(bytes) }
  }

  /// The next report; nil until there is one, and after a complaint.
  mutating func next() -> ChildReport? {
    guard complaint == nil else { return nil }
    do throws(MessageError) {
      while let line = try lines.next() {
        if identity == nil {
          greet(line)
          guard complaint == nil else { return nil }
        } else {
          return try ChildReport(text: line)
        }
      }
    } catch { complaint = error.description }
    return nil
  }

  private mutating func greet(_ line: String) {
    do throws(HelloError) { identity = try ChildIdentity(hello: line) } catch {
      refusal = error
      complaint = error.description
    }
  }
}
