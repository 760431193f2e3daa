// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Glibc
internal import Harness
internal import Results

/// What the tool reads and where it writes: data on one stream, talk on the other.
package struct Console {
  /// Writes data; throws when it cannot be delivered.
  package let out: (String) throws(ToolFailure) -> Void
  /// Writes messages and progress.
  package let talk: (String) -> Void
  /// Reads standard input to its end.
  package let input: () throws(ToolFailure) -> [UInt8]
  /// Whether data goes to a terminal.
  package let outIsTerminal: Bool
  /// Whether messages go to a terminal.
  package let talkIsTerminal: Bool

  package init(
    out: @escaping (String) throws(ToolFailure) -> Void, talk: @escaping (String) -> Void,
    input: @escaping () throws(ToolFailure) -> [UInt8] = Console.readStandardInput,
    outIsTerminal: Bool = false, talkIsTerminal: Bool = false
  ) {
    self.out = out
    self.talk = talk
    self.input = input
    self.outIsTerminal = outIsTerminal
    self.talkIsTerminal = talkIsTerminal
  }

  /// stdout and stderr of this process, both unbuffered.
  package static var standard: Console {
    Console(
      out: { text throws(ToolFailure) in
        let error = write(text, to: 1)
        guard error != 0 else { return }
        throw ToolFailure(
          .inputOutput, place: "standard output",
          finding: "not everything could be written: \(errorText(error))",
          expectation: "room for all of it, and a reader until the end",
          nextStep: "free space, or keep the reader open")
      },
      // Where messages are lost, nobody is left to tell.
      talk: { _ = write($0, to: 2) }, outIsTerminal: isatty(1) == 1,
      talkIsTerminal: isatty(2) == 1)
  }

  /// All of standard input of this process.
  package static func readStandardInput() throws(ToolFailure) -> [UInt8] {
    do throws(FileError) { return try File.readStandardInput() } catch {
      throw ToolFailure(reading: error)
    }
  }

  /// A line on the stream for messages.
  package func say(_ line: String) { talk(line + "\n") }

  private static func write(_ text: String, to descriptor: Int32) -> Int32 {
    // SAFETY: the text lives through the call.
    unsafe shim_write_text(descriptor, text)
  }
}
