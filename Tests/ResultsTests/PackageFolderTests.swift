// SPDX-License-Identifier: Apache-2.0

import TestFolders
import Testing

@testable import Results

@Suite("Where results lie")
struct PackageFolderTests {
  /// A manifest of ours, of a client, and of others that only mention us.
  @Test(
    "a manifest is known by the name of its own package",
    arguments: [
      ("let package = Package(\n  name: \"scheduler-bench\",\n  targets: [])\n", "scheduler-bench"),
      ("let it=PackageDescription.Package(name:\"scheduler-bench\")", "scheduler-bench"),
      (
        """
        let package = Package(name: "mine", dependencies: [
          .package(name: "scheduler-bench", path: "../scheduler-bench")
        ])
        """, "mine"
      ),
      (
        """
        let dependency = Package.Dependency.package(name: "scheduler-bench", path: "..")
        let package = Package(name: "mine", dependencies: [dependency])
        """, "mine"
      ),
      (
        """
        // let package = Package(name: "scheduler-bench")
        /* Package(name: "scheduler-bench") */
        let package = Package( /* ours */ name: "mine")
        """, "mine"
      ),
      ("let package = MyPackage(name: \"scheduler-bench\")", nil), ("", nil),
    ] as [(String, String?)])
  func knowsNames(manifest: String, name: String?) {
    #expect(PackageFolder.packageName(inManifest: manifest) == name)
  }

  @Test("results belong to the suite's package above, and only to it")
  func findsPackage() throws {
    try TestDirectory.with { root in
      let deep = root + "/Sources/Deep"
      try File.makeDirectories(deep)
      func write(_ manifest: String) throws {
        try AtomicFile.write(Array(manifest.utf8), to: root + "/Package.swift", overwrite: true)
      }
      try write("let package = Package(\n  name: \"scheduler-bench\",\n  targets: [])\n")
      #expect(PackageFolder.find(above: deep, where: { _ in true }) == root)
      #expect(PackageFolder.results(lookingUpFrom: ["/proc", deep]) == root + "/results")
      try write("let package = Package(name: \"mine\") // name: \"scheduler-bench\"")
      #expect(PackageFolder.find(above: deep, where: { _ in true }) == root)
      #expect(PackageFolder.results(lookingUpFrom: [deep]) == "results")
      #expect(PackageFolder.find(above: "/proc/self/task", where: { _ in true }) == nil)
    }
  }
}
