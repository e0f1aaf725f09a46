// swift-tools-version: 6.3
import PackageDescription

/// Every target is held to the same rules: language mode 6, warnings are errors, imports say how far they reach.
let houseRules: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
]

/// gemctl carries the Swift runtime in itself on Linux: it starts in half the time (scripts call it in loops), and the
/// binary runs on machines without a toolchain. Unsafe flags bar a package from nothing but depending on this product.
let selfContained: [String] = ["-static-stdlib"]

let package = Package(
  name: "GemLedger",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [.library(name: "GemLedger", targets: ["GemLedger"])],
  targets: [
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .yum(["sqlite-devel"]), .brew(["sqlite"])]),
    .target(name: "GemLedger", swiftSettings: houseRules),
    .target(name: "GemLedgerSQLite", dependencies: ["GemLedger", "CSQLite"], swiftSettings: houseRules),
    .target(
      name: "GemBenchmarks", dependencies: ["GemLedger", "GemLedgerSQLite", "CSQLite"], swiftSettings: houseRules),
    .executableTarget(name: "gembench", dependencies: ["GemBenchmarks"], swiftSettings: houseRules),
    .target(name: "GemTestSupport", dependencies: ["GemLedger"], path: "Tests/GemTestSupport", swiftSettings: houseRules),
    .executableTarget(
      name: "gemstress", dependencies: ["GemLedger", "GemLedgerSQLite"], path: "Tests/gemstress",
      swiftSettings: houseRules),
    .testTarget(name: "GemLedgerTests", dependencies: ["GemLedger", "GemTestSupport"], swiftSettings: houseRules),
    .testTarget(
      name: "GemLedgerSQLiteTests", dependencies: ["GemLedger", "GemLedgerSQLite", "CSQLite", "GemTestSupport", "gemstress"],
      swiftSettings: houseRules),
  ],
  swiftLanguageModes: [.v6]
)
