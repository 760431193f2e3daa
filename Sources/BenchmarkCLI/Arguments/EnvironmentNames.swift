// SPDX-License-Identifier: Apache-2.0

/// The environment variables that begin with `BENCH_`: a misspelt one must not be ignored.
enum EnvironmentNames {
  /// Variables that mean something and stand for no option: of the scripts, of the build, of the
  /// tests, of children.
  private static let others: Set<String> = [
    "BENCH_NO_REEXEC", "BENCH_PADDING", "BENCH_JEMALLOC", "BENCH_STATIC_ALLOCATOR", "BENCH_PEERS",
    "BENCH_OPENMP_INCLUDE", "BENCH_OPENMP_LIBRARY", "BENCH_WARNINGS_AS_ERRORS",
    "BENCH_TEST_TARGETS", "BENCH_PLUGIN_TEST", "BENCH_LONG_TESTS", "BENCH_DIFFERENTIAL",
    "BENCH_DIFFERENTIAL_SEED", "BENCH_STRESS", "BENCH_STRESS_SEED", "BENCH_GRAPH_DATA",
    "BENCH_CHARTS",
  ]

  /// What to say of variables that mean nothing here.
  ///
  /// - Throws: 64 for a name that is nearly that of an option.
  static func remarks(on environment: [String: String]) throws(ToolFailure) -> [String] {
    let options = OptionName.allCases.map(\.environmentVariable)
    var remarks: [String] = []
    for name in environment.keys.sorted()
    where name.hasPrefix("BENCH_") && !options.contains(name) && !others.contains(name) {
      // Without the common beginning, which would make short names alike.
      if let meant = NearestName.of(
        String(name.dropFirst("BENCH_".count)), in: options.map { String($0.dropFirst(6)) })
      {
        throw .usage(
          name, "no option has this variable", next: "did you mean `BENCH_\(meant)`? else unset it")
      }
      remarks.append("\(name): no option has this variable; it is ignored")
    }
    return remarks
  }
}
