// SPDX-License-Identifier: Apache-2.0

extension OperationQueue {
  /// Throws `dependencyCycle(path:)` if some of the operations, or what they depend on, wait for
  /// each other (contract 32).
  ///
  /// The path begins and ends with the same operation; each one in it waits for the next. A group
  /// waits for its members. What has started, finished or been cancelled waits for nothing else.
  /// Any thread; dependencies that others edit meanwhile may be missed. Linear in operations and
  /// dependencies, whatever the length of a chain.
  public static func validateGraph(_ operations: [Operation]) throws(OperationError) {
    var nodes = OperationNumbers(operations)
    var graph = WaitGraph()
    while graph.count < nodes.operations.count {
      let operation = nodes.operations[graph.count]
      let blockers = operation.unfinishedDependencies + operation.leftToDo.members
      graph.addNode(waitingFor: blockers.map { nodes.number(of: $0) })
    }
    for group in graph.groups() {
      guard let cycle = graph.cycle(in: group) else { continue }
      throw .dependencyCycle(path: cycle.map { nodes.operations[$0] })
    }
  }

  /// As `addOperations(_:waitUntilFinished:)`, and looks for cycles first if `validating` is set
  /// (contract 32).
  ///
  /// A cycle stops the process; `tryAddOperations(_:validating:)` throws instead.
  public func addOperations(
    _ operations: [Operation], waitUntilFinished: Bool, validating: Bool
  ) {
    do { try tryAddOperations(operations, validating: validating) } catch {
      error.fault(
        "addOperations(_:waitUntilFinished:validating:) on queue \"\(storedName)\"")
    }
    guard waitUntilFinished else { return }
    for operation in operations { operation.waitUntilFinished() }
  }

  /// As `tryAddOperations(_:)`, and throws `dependencyCycle(path:)`, with nothing added, if
  /// `validating` is set.
  public func tryAddOperations(
    _ operations: [Operation], validating: Bool
  ) throws(OperationError) {
    if validating { try Self.validateGraph(operations) }
    try tryAddOperations(operations)
  }
}

/// Operations by number, in the order met.
package struct OperationNumbers {
  package private(set) var operations: [Operation] = []
  private var numbers: [ObjectIdentifier: Int] = [:]

  /// The operations without repetitions.
  package init(_ operations: [Operation]) {
    for operation in operations { _ = number(of: operation) }
  }

  /// The number of an operation; a new one for an operation not met before.
  package mutating func number(of operation: Operation) -> Int {
    let identity = ObjectIdentifier(operation)
    if let known = numbers[identity] { return known }
    numbers[identity] = operations.count
    operations.append(operation)
    return operations.count - 1
  }
}
