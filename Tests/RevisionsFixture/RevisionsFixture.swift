// SPDX-License-Identifier: Apache-2.0

import Glibc
import Measurement
import Revisions

/// Builds a revision as `bench` does, in a process that tests can interrupt and kill.
///
/// Arguments: the package's folder, its product, the revision, the swift to build with. Says on
/// stdout what happens, and the path of the executable last. Exit code 0, or 70 with the failure,
/// or 130.
@main
struct RevisionsFixture {
  static func main() {
    let words = CommandLine.arguments
    guard words.count == 5 else { fatalError("expected four arguments; see RevisionsFixture") }
    let builder = RevisionBuilder(
      MeasuredPackage(folder: words[1], product: words[2]), swift: words[4],
      interrupt: InterruptFlag.install(), observe: { say("\($0)") })
    do throws(RevisionFailure) {
      say("path \(try builder.build(words[3]).executable)")
    } catch .interrupted {
      exit(130)
    } catch {
      say("\(error)")
      exit(70)
    }
  }

  /// Unbuffered, so that a killed process has said it.
  private static func say(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    // SAFETY: the array lives through the call.
    _ = unsafe write(1, bytes, bytes.count)
  }
}
