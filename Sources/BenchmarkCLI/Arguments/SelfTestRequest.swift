// SPDX-License-Identifier: Apache-2.0

/// What the user wants tested and shown.
struct SelfTestRequest: Sendable {
  /// Also what is measured on request alone.
  let isFull: Bool
  /// Time for the pairs; nil for the usual one.
  let budget: Duration?
  /// Seed of every random choice; nil for a fresh one.
  let seed: UInt64?
  let isJSON: Bool
  let dryRun: Bool
  let allowDebug: Bool
  let color: String?
  let showsProgress: Bool
  let quiet: Bool

  /// The request of a parsed command line; throws 64 for words that nothing is made of.
  init(_ parsed: ParsedArguments) throws(ToolFailure) {
    if let word = parsed.words.first {
      throw .usage(
        "selftest", "it takes no names, but got `\(word)`",
        expected: "what a gate measures, or everything with --full",
        next: "see `bench selftest --help`")
    }
    isFull = parsed.isOn(.full)
    budget = parsed.duration(.budget)
    seed = parsed.seed
    isJSON = parsed.text(.format) == "json"
    dryRun = parsed.isOn(.dryRun)
    allowDebug = parsed.isOn(.allowDebug)
    color = parsed.text(.color)
    showsProgress = !parsed.isOn(.noProgress)
    quiet = parsed.isOn(.quiet)
  }
}
