// SPDX-License-Identifier: Apache-2.0

/// A chain in an array or a dictionary, which hold copyable values only.
///
/// Whoever has stored the chain takes it out again once. What is done in place needs no care.
package struct StoredChain: Sendable {
  private var firstWord: UInt
  private var lastWord: UInt
  private var jobCount: Int
  private var bandMask: UInt8

  /// Takes the chain over.
  package init(_ chain: consuming JobChain) {
    firstWord = chain.firstWord
    lastWord = chain.lastWord
    jobCount = chain.jobCount
    bandMask = chain.bandMask
  }

  /// True when the chain has no job.
  package var isEmpty: Bool { firstWord == 0 }
  /// The job that leaves first.
  package var first: Job? {
    // SAFETY: the word of a job that the chain owns.
    unsafe Job(unsafeWord: firstWord)
  }

  /// The chain, which the caller owns from now on.
  ///
  /// Taking it twice, from a copy as well, is undefined behaviour.
  @unsafe package consuming func take() -> JobChain {
    var chain = JobChain()
    chain.firstWord = firstWord
    chain.lastWord = lastWord
    chain.jobCount = jobCount
    chain.bandMask = bandMask
    return chain
  }

  /// Runs `body` with the chain, which stays here.
  package mutating func withChain<Result>(_ body: (inout JobChain) -> Result) -> Result {
    // SAFETY: what is left is stored again below.
    var chain = unsafe take()
    let result = body(&chain)
    self = StoredChain(chain)
    return result
  }
}
