// SPDX-License-Identifier: Apache-2.0

/// The version of the conversation: what `hello` begins with, on both sides.
///
/// It changes whenever a line changes that the other side could have been built without.
package let conversationVersion = 1

/// The first line of an orchestrator, the argument of a child: what has to be so before the child's
/// first thread starts.
package struct ChildSetup: Message {
  /// Which allocator the child must prove.
  package var allocator = Allocator.jemalloc
  /// Pins the whole process to the first so many CPUs of its affinity mask; nil leaves it alone.
  package var cpus: Int?
  /// Allocations by which the child proves, before anything else, that it counts every one.
  ///
  /// Its iterations then count theirs. Nil where it counts none, as wherever time is measured.
  package var provenAllocations: Int?

  package init() {}

  /// A set-up; see the properties.
  package init(allocator: Allocator, cpus: Int? = nil, provenAllocations: Int? = nil) {
    self.allocator = allocator
    self.cpus = cpus
    self.provenAllocations = provenAllocations
  }

  package static let word = helloWord
  package static let fields: [MessageField<ChildSetup>] = [
    versionField(), .choice("allocator", \.allocator), .number("cpus", \.cpus, in: 1 ... .max),
    .number("proven-allocations", \.provenAllocations, in: 0...1_000_000),
  ]
}

/// The first line of a child: who it is.
package struct ChildIdentity: Message {
  /// The compiler that built it.
  package var swiftVersion = ""
  /// `-O` or `-Onone`.
  package var optimization = ""
  /// The sanitizer built in, or `none`.
  package var sanitizer = ""

  package init() {}

  /// An identity; see the properties.
  package init(swiftVersion: String, optimization: String, sanitizer: String) {
    self.swiftVersion = swiftVersion
    self.optimization = optimization
    self.sanitizer = sanitizer
  }

  /// That of this program.
  package static var own: ChildIdentity {
    ChildIdentity(
      swiftVersion: BuildFacts.swiftVersion, optimization: BuildFacts.optimization,
      sanitizer: BuildFacts.sanitizer?.rawValue ?? "none")
  }

  package static let word = helloWord
  package static let fields: [MessageField<ChildIdentity>] = [
    versionField(), .text("swift", \.swiftVersion), .text("optimization", \.optimization),
    .text("sanitizer", \.sanitizer),
  ]
}

/// The first word on both sides.
let helloWord = "hello"

/// The version, which is no property: a line of another one is refused before it is read.
private func versionField<Content>() -> MessageField<Content> {
  .constant("version", "\(conversationVersion)")
}

/// The two sides were built for different conversations.
package enum HelloError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The other side speaks that version.
  case version(String)
  /// The other side's first line is none.
  case message(MessageError)

  /// Finding and expectation on one line.
  package var description: String {
    switch self {
    case .version(let found):
      "the other side speaks version \(found) of the conversation; expected "
        + "\(conversationVersion), which programs built from the same revision share"
    case .message(let error): error.description
    }
  }
}

extension Message {
  /// Reads a first line: its version before everything else.
  package init(hello text: String) throws(HelloError) {
    let line: MessageLine
    do { line = try MessageLine(text: text) } catch { throw .message(error) }
    guard line.word == helloWord, let version = line.fields["version"] else {
      throw .message(
        MessageError(
          "'\(MessageLine.shown(text[...]))'", expected: "hello version=\(conversationVersion) …"))
    }
    guard version == "\(conversationVersion)" else { throw .version(version) }
    do { try self.init(line) } catch { throw .message(error) }
  }
}
