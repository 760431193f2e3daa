// SPDX-License-Identifier: Apache-2.0

import Foundation
import Operations
import Scheduling
import Testing

/// A file that imports both modules, in a module with the four aliases.
struct FoundationAliasTests {
  private final class Decode: Operation, @unchecked Sendable {
    private(set) var text = ""
    override func main() { text = String(decoding: Data([104, 105]), as: UTF8.self) }
  }

  @Test func theFourNamesMeanTheClassesOfThisPackage() {
    let queue = OperationQueue(scheduler: InlineScheduler())
    queue.qualityOfService = QualityOfService.utility
    let decode = Decode()
    let after = BlockOperation {}
    after.addDependency(decode)
    queue.addOperation(after)
    #expect(!after.isFinished)
    queue.addOperation(decode)
    #expect(after.isFinished)
    #expect(decode.text == "hi")
    #expect(String(reflecting: type(of: queue)) == "Operations.OperationQueue")
  }
}
