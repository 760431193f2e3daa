// SPDX-License-Identifier: Apache-2.0

import Operations

extension CostCase {
  /// Calls that make, lift or follow dependencies.
  static let ofEdges: [CostCase] = [
    .call("addDependency-out", among: "dependents") { stage, items, _ in
      let queue = stage.queue()
      let dependency = Operation()
      func add() {
        let dependent = Empty()
        dependent.addDependency(dependency)
        queue.addOperation(dependent)
      }
      for _ in 0..<items { add() }
      return Pile(
        call: { _ in add() },
        end: {
          dependency.cancelAndFinish()
          queue.waitUntilAllOperationsAreFinished()
        })
    },
    .call("addDependency-in", among: "dependencies", mostBytes: 1024) { stage, items, _ in
      let queue = stage.members(0)
      let dependent = Empty()
      func add() {
        let dependency = Empty()
        dependent.addDependency(dependency)
        queue.addOperation(dependency)
      }
      for _ in 0..<items { add() }
      queue.addOperation(dependent)
      return Pile(call: { _ in add() }, end: { CostStage.drain(queue) })
    },
    .call("addDependency-again", among: "dependencies", mostBytes: 1024) { stage, items, _ in
      let (dependent, dependencies) = fanIn(items + 1)
      return Pile(
        call: { _ in dependent.addDependency(dependencies[items]) },
        end: {
          for dependency in dependencies { dependency.cancelAndFinish() }
          dependent.cancelAndFinish()
        })
    },
    .call("removeDependency", among: "dependencies", mostBytes: 1024) { stage, items, calls in
      let (dependent, dependencies) = fanIn(items + calls)
      return Pile(
        call: { number in dependent.removeDependency(dependencies[items + number]) },
        end: {
          for dependency in dependencies { dependency.cancelAndFinish() }
          dependent.cancelAndFinish()
        })
    },
    .call("removeDependency-in-queue", among: "dependencies", mostBytes: 1024) {
      stage, items, calls in
      let queue = stage.members(0)
      let (dependent, dependencies) = fanIn(items + calls)
      queue.addOperation(dependent)
      return Pile(
        call: { number in dependent.removeDependency(dependencies[items + number]) },
        end: {
          for dependency in dependencies { dependency.cancelAndFinish() }
          CostStage.drain(queue)
        })
    },
    .whole("dependencies", of: "dependencies", mostBytes: 1024) { stage, items in
      let (dependent, dependencies) = fanIn(items)
      return Pile(end: {
        precondition(dependent.dependencies.count == items)
        for dependency in dependencies { dependency.cancelAndFinish() }
        dependent.cancelAndFinish()
      })
    },
    .call("edit-edge-before-add", among: "edits of the same edge", mostBytes: 16) {
      stage, items, _ in
      let dependency = Empty()
      let dependent = Empty()
      for _ in 0..<items { edit(dependent, dependency) }
      return Pile(
        call: { _ in edit(dependent, dependency) },
        end: {
          dependency.cancelAndFinish()
          dependent.cancelAndFinish()
        })
    },
    .call("edit-edge-in-queue", among: "edits of the same edge", mostBytes: 16) { stage, items, _ in
      let queue = stage.members(0)
      let dependency = Empty()
      let dependent = Empty()
      queue.addOperation(dependent)
      for _ in 0..<items { edit(dependent, dependency) }
      return Pile(
        call: { _ in edit(dependent, dependency) },
        end: {
          dependency.cancelAndFinish()
          CostStage.drain(queue)
        })
    },
    // The dependency's list names every withdrawn edge: one record each, and its place in an array.
    .call("edit-edge-registered", among: "edits of the same edge", mostBytes: 80) {
      stage, items, _ in
      let queue = stage.members(0)
      let (first, dependency) = (Empty(), Empty())
      let dependent = Empty()
      dependent.addDependency(first)
      queue.addOperation(dependent)
      for _ in 0..<items { edit(dependent, dependency) }
      return Pile(
        call: { _ in edit(dependent, dependency) },
        end: {
          first.cancelAndFinish()
          dependency.cancelAndFinish()
          CostStage.drain(queue)
        })
    },
    .whole("chain", of: "operations in a chain") { stage, items in
      let queue = stage.members(0)
      var last: Operation?
      for _ in 0..<items {
        let next = Empty()
        if let last { next.addDependency(last) }
        queue.addOperation(next)
        last = next
      }
      return Pile(end: { CostStage.drain(queue) })
    },
    .whole("chain-dropped", of: "operations in a chain") { stage, items in
      let chain = chain(items)
      return Pile(end: { withExtendedLifetime(chain) {} })
    },
    .whole("validateGraph", of: "operations in a chain") { stage, items in
      let queue = stage.members(0)
      let chain = chain(items)
      return Pile(end: {
        do { try OperationQueue.validateGraph(chain) } catch { fatalError("\(error)") }
        queue.addOperations(chain, waitUntilFinished: false)
        CostStage.drain(queue)
      })
    },
    .call("addDependency-inject", among: "dependencies with a result", mostBytes: 1024) {
      stage, items, _ in
      let queue = stage.members(0)
      let dependent = Empty()
      func add() {
        let source = ResultOperation { 1 }
        dependent.addDependency(on: source, inject: { _ in })
        queue.addOperation(source)
      }
      for _ in 0..<items { add() }
      queue.addOperation(dependent)
      return Pile(call: { _ in add() }, end: { CostStage.drain(queue) })
    },
  ]

  private static func edit(_ dependent: Operation, _ dependency: Operation) {
    dependent.addDependency(dependency)
    dependent.removeDependency(dependency)
  }

  /// An operation in no queue and what it depends on.
  private static func fanIn(_ count: Int) -> (dependent: Empty, dependencies: [Empty]) {
    let (dependent, dependencies) = (Empty(), (0..<count).map { _ in Empty() })
    for dependency in dependencies { dependent.addDependency(dependency) }
    return (dependent, dependencies)
  }

  /// Operations in no queue, each of which depends on the one before.
  private static func chain(_ count: Int) -> [Empty] {
    let chain = (0..<count).map { _ in Empty() }
    for (dependency, dependent) in zip(chain, chain.dropFirst()) {
      dependent.addDependency(dependency)
    }
    return chain
  }
}
