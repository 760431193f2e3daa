// SPDX-License-Identifier: Apache-2.0

/// What passes a dependency's result to the dependent, on the worker that starts it.
struct Injection: Sendable {
  /// Kept by the edge until the operation starts.
  let source: ObjectIdentifier
  /// False when the body must not do its work.
  let inject: @Sendable () -> Bool
}

extension Operation {
  /// Makes this operation wait for `source` and passes the result in before the body runs (contract
  /// 82).
  ///
  /// `inject` is called on the thread that starts this operation, before `start()`, with no lock
  /// held, once, whether `source` succeeded, failed or was cancelled; several are called in the
  /// order added. It is not called when this operation is cancelled before it starts, when the
  /// dependency is removed, or when it is added after the start. It is released at the start; until
  /// then it should capture this operation unowned.
  public final func addDependency<Success>(
    on source: ResultOperation<Success>,
    inject: @escaping @Sendable (Result<Success, any Error>) -> Void
  ) {
    addEdge(on: source) { result in
      inject(result)
      return true
    }
  }

  fileprivate final func addEdge<Success>(
    on source: ResultOperation<Success>,
    _ inject: @escaping @Sendable (Result<Success, any Error>) -> Bool
  ) {
    // Weak: chains of operations must not hang on closures, whose release would recurse.
    let injection = Injection(source: ObjectIdentifier(source)) { [weak source] in
      // The start has waited for it. Nil when another thread has finished this operation meanwhile.
      source?.result.map(inject) ?? true
    }
    do { try addEdge(to: source, injection: injection) } catch {
      error.fault("addDependency(on:inject:)")
    }
  }

  /// Calls what passes results in, or only lets go of it when the body will not run; before
  /// `start()`.
  final func passInResults(unlessSkipped isSkipped: Bool) {
    let injections = withColdTable { $0.injections.take() } ?? nil
    guard !isSkipped, let injections else { return }
    for injection in injections { guard injection.inject() else { return } }
  }
}

extension ResultOperation {
  /// Makes this operation wait for `source` and passes its value in before the body runs (contract
  /// 82).
  ///
  /// When `source` has failed or was cancelled, or when `inject` throws, the body does not run and
  /// this operation fails with that error. Otherwise as `addDependency(on:inject:)`.
  public final func addDependency<Input>(
    onValueOf source: ResultOperation<Input>,
    inject: @escaping @Sendable (Input) throws -> Void
  ) {
    addEdge(on: source) { [unowned self] result in
      do { try inject(result.get()) } catch {
        settle(.failure(error))
        return false
      }
      return true
    }
  }
}
