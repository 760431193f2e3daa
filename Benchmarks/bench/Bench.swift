// SPDX-License-Identifier: Apache-2.0

import BenchmarkSuite

@main
struct Bench {
  static func main() { BenchmarkSuite.main() }
}
