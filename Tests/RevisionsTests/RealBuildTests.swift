// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Revisions

/// The same with the real `swift`, which resolves, compiles and complains for itself.
@Suite(
  .timeLimit(.minutes(10)),
  .enabled(
    if: ProcessInfo.processInfo.environment["BENCH_PLUGIN_TEST"] == "1",
    "compiles a package three times, for a minute; BENCH_PLUGIN_TEST=1 includes it"))
struct RealBuildTests {
  @Test func packageThatDependsOnItsNeighbour() throws {
    try DemoPackage.with { demo in
      try demo.writeAside("other/Package.swift", Self.neighbour)
      try demo.writeAside("other/Sources/Other/Other.swift", "public let value = 7\n")
      try demo.write("Package.swift", Self.manifest)
      try demo.write("Sources/demo/main.swift", "import Other\nprint(\"one\", value)\n")
      try demo.commit("two")
      try demo.write("Sources/demo/main.swift", "import Other\nprint(\"broken\", valeu)\n")
      try demo.commit("three")
      let builder = RevisionBuilder(demo.package)

      let built = try builder.build("HEAD~1")
      #expect(demo.say(built) == "one 7")
      #expect(built.localDependencies == [demo.folder + "/other"])
      #expect(built.code.toolchain?.hasPrefix("Swift ") == true)
      #expect(try builder.build("HEAD~1").wasThere)
      built.release()

      do {
        _ = try builder.build("HEAD")
        Issue.record("it built")
      } catch let RevisionFailure.notBuilt(_, _, errors, _) {
        #expect(
          errors.first?.hasPrefix("Sources/demo/main.swift:2:17: error: cannot find 'valeu'")
            == true,
          "\(errors)")
      }

      let unknown = MeasuredPackage(folder: demo.root, product: "unknown")
      do {
        _ = try RevisionBuilder(unknown).build("HEAD~1")
        Issue.record("it built")
      } catch let RevisionFailure.notBuilt(_, product, errors, _) {
        #expect(product == "unknown" && errors.contains { $0.contains("no product named") })
      }
      #expect(demo.worktrees.count == 1)
    }
  }

  private static let manifest = """
    // swift-tools-version: 6.2
    import PackageDescription

    let package = Package(
      name: "demo", dependencies: [.package(path: "../other")],
      targets: [
        .executableTarget(name: "demo", dependencies: [.product(name: "Other", package: "other")])
      ])

    """

  private static let neighbour = """
    // swift-tools-version: 6.2
    import PackageDescription

    let package = Package(
      name: "other", products: [.library(name: "Other", targets: ["Other"])],
      targets: [.target(name: "Other")])

    """
}
