// SPDX-License-Identifier: Apache-2.0

package import Results

/// Whose figures they are: one system on one benchmark with its parameters.
///
/// A plain value; any thread.
package struct BenchmarkCase: Sendable, Hashable {
  package let suite: String
  package let benchmark: String
  package let params: RowParameters
  package let scheduler: String
  package let allocator: String
  /// The side of a comparison, nil outside one.
  package let role: Role?

  init(_ subject: Subject, role: Role?) {
    suite = subject.suite
    benchmark = subject.benchmark
    params = subject.params
    scheduler = subject.scheduler
    allocator = subject.allocator
    self.role = role
  }

  /// One text for consumers that know a name and nothing else:
  /// `core/fan[width:1000;workers:2]/work-stealing`, with the role of a comparison behind it.
  package var name: String {
    let bracketed = params.text.isEmpty ? "" : "[\(params.text)]"
    return "\(suite)/\(benchmark)\(bracketed)/\(scheduler)" + (role.map { "/\($0.rawValue)" } ?? "")
  }

  /// The threads that the system was given, 1 where no parameter says so.
  var workers: Int { params["workers"].flatMap { Int($0) } ?? 1 }

  /// The same as pairs, for consumers that group by tags or labels; no value is empty.
  ///
  /// Parameters have a prefix, so that none takes the name of another tag.
  var tags: [(name: String, value: String)] {
    let fixed: [(name: String, value: String)] = [
      ("suite", suite), ("benchmark", benchmark), ("scheduler", scheduler),
      ("allocator", allocator), ("role", role?.rawValue ?? ""),
    ]
    let all = fixed + params.entries.map { (name: "param_" + $0.name, value: $0.value) }
    return all.filter { !$0.value.isEmpty }
  }
}
