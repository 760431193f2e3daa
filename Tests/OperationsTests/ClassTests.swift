// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Operations

private class Worker: Operation, @unchecked Sendable { override func main() {} }
private class Starter: Worker, @unchecked Sendable { override func start() {} }
private final class LateWorker: Starter, @unchecked Sendable { override func main() {} }
private final class Conditional: Worker, @unchecked Sendable {
  override var isReady: Bool { false }
}
private final class Stateful: Worker, @unchecked Sendable {
  override var isFinished: Bool { false }
}
private final class Flags: Worker, @unchecked Sendable {
  override var isExecuting: Bool { false }
  override var isAsynchronous: Bool { true }
  override func cancel() {}
}
private final class Block: BlockOperation, @unchecked Sendable { override func main() {} }
private class Wrapped<Content>: Worker, @unchecked Sendable {}
private final class WrappedStarter<Content>: Wrapped<Content>, @unchecked Sendable {
  override func start() {}
}

/// What the runtime is asked about classes.
@Suite(.contract(38, 49, 63)) struct ClassTests {
  private func isPlain(_ operation: Operation) -> Bool {
    operation.plainness(operation.state.load(ordering: .relaxed)) != 0
  }

  @Test func aClassIsPlainUntilItOverridesAStartOrAFlag() {
    for _ in 0..<2 {
      #expect(isPlain(Operation()) && isPlain(BlockOperation {}) && isPlain(AsyncOperation()))
      #expect(isPlain(Worker()) && isPlain(Block()) && isPlain(Flags()))
      #expect(!isPlain(Starter()) && !isPlain(LateWorker()))
      #expect(!isPlain(Conditional()) && !isPlain(Stateful()))
    }
  }

  @Test func eachOverrideIsKnownByItself() {
    #expect(Starter().overridesStart && LateWorker().overridesStart)
    #expect(!Starter().overridesCancel && Flags().overridesCancel)
    for other in [Operation(), BlockOperation {}, Worker(), Conditional(), Stateful(), Flags()] {
      #expect(!other.overridesStart)
    }
  }

  /// Makes more classes than are remembered.
  private func expectAnswers<Content>(for: Content.Type, depth: Int) {
    let (plain, other) = (Wrapped<Content>(), WrappedStarter<Content>())
    for _ in 0..<2 { #expect(isPlain(plain) && !isPlain(other)) }
    if depth > 0 { expectAnswers(for: Wrapped<Content>.self, depth: depth - 1) }
    #expect(isPlain(plain) && !isPlain(other))
  }

  @Test func classesThatShareAPlaceAreToldApart() { expectAnswers(for: Int.self, depth: 300) }
}
