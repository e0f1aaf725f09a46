// swift-tools-version: 6.3
import PackageDescription

/// Every target is held to the same rules: warnings are errors, and imports say how far they reach.
let houseRules: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
]

/// In release builds on Linux, gemctl links the runtimes of Swift and C++ statically.
///
/// It starts in less than half the time, which matters to scripts that call it in a loop, and it runs on machines
/// without a toolchain. Only modules compiled with this flag link ICU by themselves, hence the two libraries. Unsafe
/// flags bar other packages from depending on this product alone, and a command-line tool has no dependents.
let selfContained: [String] = ["-static-stdlib"]

/// The toolchain links libstdc++ by name, which a linker script turns into the archive, and exports every symbol.
let selfContainedLinking =
  selfContained + [
    "-L\(Context.packageDirectory)/Sources/gemctl/Linking", "-Xclang-linker", "-static-libgcc",
    "-Xlinker", "--no-export-dynamic",
  ]
let onLinuxInRelease: BuildSettingCondition = .when(platforms: [.linux], configuration: .release)

/// Code of other SDKs' pages is compiled as it stands there, by the language mode of its time.
///
/// The compiler warns of some of it, such as of values that a page leaves to its readers.
let asPublished: [SwiftSetting] = [.swiftLanguageMode(.v5), .unsafeFlags(["-suppress-warnings"])]

/// Targets that need PostgreSQL's client library are built on request only (`swift build --traits PostgreSQL`).
///
/// A plain build thus needs no library but SQLite.
let onPostgreSQL: TargetDependencyCondition? = .when(traits: ["PostgreSQL"])

/// Targets that need OpenSSL's libcrypto are built on request only (`swift build --traits Receipts`).
///
/// Apple's platforms have CryptoKit and Security instead.
let onReceipts: TargetDependencyCondition? = .when(platforms: [.linux, .windows, .android], traits: ["Receipts"])

/// Targets of the server are built on request only (`swift build --traits Server`).
///
/// They need GNU libmicrohttpd and libcurl, and libcrypto by the trait Receipts, which this one turns on.
let onServer: TargetDependencyCondition? = .when(traits: ["Server"])

/// Whether the four C libraries other than SQLite are loaded with their first call, by CDelayLoad, instead of linked.
#if os(Linux) && (arch(x86_64) || arch(arm64))
let delaysLoading = true
#else
let delaysLoading = false
#endif

/// The name of a library for pkg-config, whose flags would link it; nil if it is loaded with its first call.
func linkedPackage(_ name: String) -> String? { delaysLoading ? nil : name }

/// Links a library, if it is not loaded with its first call.
func linked(_ name: String, _ condition: BuildSettingCondition) -> [LinkerSetting] {
  delaysLoading ? [] : [.linkedLibrary(name, condition)]
}

/// Where there is no StoreKit, the simulated one stands in for it, so that the same files are compiled and tested.
///
/// On Apple's platforms an app that links StoreClientStoreKit links no simulated store.
let withoutStoreKit: TargetDependencyCondition? = .when(platforms: [.linux, .windows, .android])

/// The test targets to build: all of them, or those that `GEMLEDGER_TEST_TARGETS` names, separated by commas.
///
/// All tests are linked into one bundle, so that a change of the core compiles every test target before the first test
/// runs. `.ci/test --only` builds what the wanted tests need.
let wantedTests = Context.environment["GEMLEDGER_TEST_TARGETS"]?.split(separator: ",").map(String.init) ?? []

let package = Package(
  name: "GemLedger",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "GemLedger", targets: ["GemLedger", "GemLedgerAudit", "GemLedgerArchive", "GemLedgerSeal"]),
    .library(name: "GemLedgerSQLite", targets: ["GemLedgerSQLite"]),
    .library(name: "GemLedgerPostgres", targets: ["GemLedgerPostgres"]),
    .library(name: "StoreBackend", targets: ["StoreBackend", "StoreReceipts"]),
    .library(
      name: "StoreClient",
      targets: ["StoreClient", "StoreClientFoundation", "StoreClientHTTP", "StoreClientStoreKit"]),
    .library(name: "SimulatedStores", targets: ["SimulatedStores", "SimulatedStoreKit"]),
    .executable(name: "gemctl", targets: ["gemctl"]),
  ],
  traits: [
    .trait(name: "PostgreSQL", description: "Storage on PostgreSQL, over libpq: GemLedgerPostgres."),
    .trait(name: "Receipts", description: "Signed receipts and seals, over libcrypto: StoreReceipts, GemLedgerSeal."),
    .trait(
      name: "Server", description: "The ledger over HTTP, over libmicrohttpd and libcurl: GemServer, StoreClientHTTP.",
      enabledTraits: ["Receipts"]),
  ],
  targets: [
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .yum(["sqlite-devel"]), .brew(["sqlite"])]),
    .systemLibrary(
      name: "CPostgreSQL", pkgConfig: linkedPackage("libpq"),
      providers: [.apt(["libpq-dev"]), .yum(["libpq-devel"]), .brew(["libpq"])]),
    .systemLibrary(
      name: "COpenSSL", pkgConfig: linkedPackage("libcrypto"),
      providers: [.apt(["libssl-dev"]), .yum(["openssl-devel"])]),
    .systemLibrary(
      name: "CMicroHTTPD", pkgConfig: linkedPackage("libmicrohttpd"),
      providers: [.apt(["libmicrohttpd-dev"]), .yum(["libmicrohttpd-devel"]), .brew(["libmicrohttpd"])]),
    .systemLibrary(
      name: "CCurl", pkgConfig: linkedPackage("libcurl"),
      providers: [.apt(["libcurl4-openssl-dev"]), .yum(["libcurl-devel"]), .brew(["curl"])]),
    .target(name: "CDelayLoad"),
    .target(name: "GemLedger", swiftSettings: houseRules),
    .target(name: "GemLedgerAudit", dependencies: ["GemLedger"], swiftSettings: houseRules),
    .target(
      name: "GemLedgerArchive", dependencies: ["GemLedger", "GemLedgerAudit"], swiftSettings: houseRules),
    .target(name: "GemLedgerSQLite", dependencies: ["GemLedger", "CSQLite"], swiftSettings: houseRules),
    .target(
      name: "GemLedgerPostgres",
      dependencies: [
        "GemLedger", .target(name: "CPostgreSQL", condition: onPostgreSQL),
        .target(name: "CDelayLoad", condition: onPostgreSQL),
      ],
      swiftSettings: houseRules, linkerSettings: linked("pq", .when(traits: ["PostgreSQL"]))),
    .target(name: "StoreBackend", dependencies: ["GemLedger"], swiftSettings: houseRules),
    .target(
      name: "SystemCrypto",
      dependencies: [
        .target(name: "COpenSSL", condition: onReceipts), .target(name: "CDelayLoad", condition: onReceipts),
      ],
      swiftSettings: houseRules,
      linkerSettings: linked("crypto", .when(platforms: [.linux, .windows, .android], traits: ["Receipts"]))),
    .target(
      name: "GemLedgerSeal", dependencies: ["GemLedger", "GemLedgerAudit", "GemLedgerArchive", "SystemCrypto"],
      swiftSettings: houseRules),
    .target(
      name: "StoreReceipts", dependencies: ["GemLedger", "StoreBackend", "SystemCrypto"], swiftSettings: houseRules),
    .target(name: "StoreClient", dependencies: ["GemLedger", "StoreBackend"], swiftSettings: houseRules),
    .target(name: "StoreClientFoundation", dependencies: ["StoreClient"], swiftSettings: houseRules),
    .target(
      name: "SimulatedStores", dependencies: ["GemLedger", "StoreBackend", "StoreClient"], swiftSettings: houseRules),
    .target(
      name: "SimulatedStoreKit", dependencies: ["GemLedger", "StoreBackend", "StoreClient", "SimulatedStores"],
      swiftSettings: houseRules),
    .target(
      name: "StoreClientStoreKit",
      dependencies: [
        "GemLedger", "StoreBackend", "StoreClient", .target(name: "SimulatedStoreKit", condition: withoutStoreKit),
      ],
      swiftSettings: houseRules),
    .target(
      name: "SystemHTTP",
      dependencies: [
        "GemLedger", .target(name: "CMicroHTTPD", condition: onServer), .target(name: "CCurl", condition: onServer),
        .target(name: "CDelayLoad", condition: onServer),
      ],
      swiftSettings: houseRules,
      linkerSettings: linked("microhttpd", .when(traits: ["Server"])) + linked("curl", .when(traits: ["Server"]))),
    .target(
      name: "StoreClientHTTP", dependencies: ["GemLedger", "StoreBackend", "StoreClient"], swiftSettings: houseRules),
    .target(
      name: "GemServer",
      dependencies: [
        "GemLedger", "GemLedgerAudit", "StoreBackend", "StoreReceipts", "StoreClient", "SimulatedStores",
        "SystemCrypto", "SystemHTTP",
      ],
      swiftSettings: houseRules),
    .target(name: "LedgerCharts", dependencies: ["GemLedger", "GemLedgerAudit"], swiftSettings: houseRules),
    .target(
      name: "GemConsole",
      dependencies: [
        "GemLedger", "GemLedgerAudit", "GemLedgerArchive", "GemLedgerSQLite",
        .target(name: "GemLedgerSeal", condition: .when(traits: ["Receipts"])), "LedgerCharts", "StoreBackend",
        "SystemCrypto", "SystemHTTP", "GemServer",
      ],
      swiftSettings: houseRules),
    .plugin(name: "ReadCommit", capability: .buildTool()),
    .target(name: "CommitOfBuild", swiftSettings: houseRules, plugins: ["ReadCommit"]),
    .executableTarget(
      name: "gemctl",
      dependencies: [
        "CommitOfBuild", "GemLedger", "GemLedgerAudit", "GemLedgerArchive", "GemLedgerSQLite",
        .target(name: "GemLedgerPostgres", condition: onPostgreSQL),
        .target(name: "GemLedgerSeal", condition: .when(traits: ["Receipts"])), "StoreBackend",
        .target(name: "StoreReceipts", condition: .when(traits: ["Receipts"])), "StoreClient", "SimulatedStores",
        .target(name: "SystemCrypto", condition: onReceipts),
        .target(name: "GemServer", condition: onServer), .target(name: "GemConsole", condition: onServer),
        "LedgerCharts",
      ],
      exclude: ["Linking"],
      swiftSettings: houseRules + [.unsafeFlags(selfContained, onLinuxInRelease)],
      linkerSettings: [
        .unsafeFlags(selfContainedLinking, onLinuxInRelease), .linkedLibrary("_FoundationICU", onLinuxInRelease),
        .linkedLibrary("stdc++", onLinuxInRelease),
      ]),
    .target(
      name: "GemTestSupport", dependencies: ["GemLedger", "GemLedgerAudit", "GemLedgerArchive"],
      path: "Tests/GemTestSupport", swiftSettings: houseRules),
    .target(
      name: "PostgresTestSupport",
      dependencies: [
        .target(name: "CPostgreSQL", condition: onPostgreSQL),
        .target(name: "GemLedgerPostgres", condition: onPostgreSQL),
      ],
      path: "Tests/PostgresTestSupport", swiftSettings: houseRules),
    .target(
      name: "StoreTestSupport",
      dependencies: [
        "GemLedger", "StoreBackend", "StoreClient", "SimulatedStores",
        .target(name: "StoreClientHTTP", condition: onServer), .target(name: "GemServer", condition: onServer),
        .target(name: "SystemHTTP", condition: onServer),
      ],
      path: "Tests/StoreTestSupport", swiftSettings: houseRules),
    .target(
      name: "PageSnippets", dependencies: ["StoreClientFoundation", "SimulatedStoreKit"], path: "Tests/PageSnippets",
      swiftSettings: asPublished),
    .executableTarget(
      name: "ReadmeProgram", dependencies: ["GemLedger", "GemLedgerAudit", "GemLedgerSQLite"],
      path: "Tests/ReadmeProgram"),
    .executableTarget(
      name: "gemstress",
      dependencies: ["GemLedger", "GemLedgerSQLite", .target(name: "GemLedgerPostgres", condition: onPostgreSQL)],
      path: "Tests/gemstress", swiftSettings: houseRules),
    .executableTarget(
      name: "gemcrash",
      dependencies: [
        "GemLedger", "GemLedgerSQLite", "StoreBackend",
        .target(name: "StoreReceipts", condition: .when(traits: ["Receipts"])), "StoreClient", "SimulatedStores",
        .target(name: "StoreClientHTTP", condition: onServer), .target(name: "GemServer", condition: onServer),
        .target(name: "SystemHTTP", condition: onServer),
      ],
      path: "Tests/gemcrash", swiftSettings: houseRules),
    .executableTarget(
      name: "gemdamage",
      dependencies: ["GemLedger", "GemLedgerAudit", "GemLedgerArchive", "GemLedgerSQLite", "CSQLite"],
      path: "Tests/gemdamage", swiftSettings: houseRules),
    .target(
      name: "GemBenchmarks",
      dependencies: [
        "GemLedger", "GemLedgerAudit", "GemLedgerArchive", "GemLedgerSQLite",
        .target(name: "GemLedgerPostgres", condition: onPostgreSQL), "CSQLite",
        .target(name: "CPostgreSQL", condition: onPostgreSQL),
        .target(name: "GemLedgerSeal", condition: .when(traits: ["Receipts"])), "StoreBackend",
        .target(name: "StoreReceipts", condition: .when(traits: ["Receipts"])),
        .target(name: "COpenSSL", condition: onReceipts), "StoreClient", "SimulatedStores",
        .target(name: "GemServer", condition: onServer), .target(name: "SystemHTTP", condition: onServer),
        .target(name: "CMicroHTTPD", condition: onServer),
      ],
      path: "Tests/GemBenchmarks", swiftSettings: houseRules),
    .executableTarget(
      name: "gembench", dependencies: ["GemBenchmarks"], path: "Tests/gembench", swiftSettings: houseRules),
    .target(
      name: "StoreSimulation",
      dependencies: ["GemLedger", "GemLedgerAudit", "StoreBackend", "StoreClient", "SimulatedStores"],
      path: "Tests/StoreSimulation", swiftSettings: houseRules),
    .executableTarget(
      name: "gemsoak",
      dependencies: [
        "GemLedger", "StoreBackend", .target(name: "StoreReceipts", condition: .when(traits: ["Receipts"])),
        "StoreSimulation", "SimulatedStores",
      ],
      path: "Tests/gemsoak", swiftSettings: houseRules),
    .executableTarget(name: "gemtest", path: "Tests/gemtest", swiftSettings: houseRules),
    .testTarget(
      name: "GemLedgerTests",
      dependencies: ["GemLedger", "GemLedgerAudit", "GemLedgerArchive", "GemTestSupport"],
      swiftSettings: houseRules),
    .testTarget(
      name: "GemLedgerAuditTests", dependencies: ["GemLedger", "GemLedgerAudit", "GemTestSupport"],
      swiftSettings: houseRules),
    .testTarget(
      name: "GemLedgerArchiveTests",
      dependencies: ["GemLedger", "GemLedgerAudit", "GemLedgerArchive", "GemTestSupport"], swiftSettings: houseRules),
    .testTarget(
      name: "GemLedgerSealTests",
      dependencies: [
        "GemLedger", "GemLedgerArchive", .target(name: "GemLedgerSeal", condition: .when(traits: ["Receipts"])),
        .target(name: "SystemCrypto", condition: .when(traits: ["Receipts"])), "GemTestSupport",
      ],
      swiftSettings: houseRules),
    .testTarget(
      name: "GemLedgerSQLiteTests",
      dependencies: [
        "GemLedger", "GemLedgerAudit", "GemLedgerArchive", "GemLedgerSQLite",
        .target(name: "GemLedgerSeal", condition: .when(traits: ["Receipts"])), "StoreBackend", "CSQLite",
        "GemTestSupport", "gemdamage", "gemstress",
      ],
      swiftSettings: houseRules),
    .testTarget(
      name: "GemLedgerPostgresTests",
      dependencies: [
        "GemLedger", "GemLedgerAudit", "GemLedgerArchive", "GemLedgerPostgres", "GemLedgerSQLite",
        .target(name: "GemLedgerSeal", condition: .when(traits: ["Receipts"])), "GemTestSupport",
        "PostgresTestSupport", "gemstress",
      ],
      swiftSettings: houseRules),
    .testTarget(
      name: "StoreBackendTests",
      dependencies: ["GemLedger", "GemLedgerAudit", "StoreBackend", "SimulatedStores", "GemTestSupport"],
      swiftSettings: houseRules),
    .testTarget(
      name: "StoreReceiptsTests",
      dependencies: [
        "GemLedger", "StoreBackend", "StoreReceipts", "SystemCrypto",
        .target(name: "COpenSSL", condition: onReceipts), "GemTestSupport",
      ],
      swiftSettings: houseRules),
    .testTarget(
      name: "GemServerTests",
      dependencies: [
        "GemLedger", "StoreBackend", "SimulatedStores", "StoreReceipts", "SystemCrypto", "SystemHTTP", "GemServer",
        "StoreClient", "StoreClientHTTP", "GemTestSupport", "StoreTestSupport", "PostgresTestSupport",
        "GemLedgerSQLite", "GemLedgerPostgres",
      ],
      swiftSettings: houseRules),
    .testTarget(
      name: "GemConsoleTests",
      dependencies: [
        "GemLedger", "GemLedgerAudit", "GemLedgerSQLite", "StoreBackend", "SimulatedStores", "SystemHTTP", "GemServer",
        "GemConsole", "GemTestSupport",
      ],
      swiftSettings: houseRules),
    .testTarget(
      name: "StoreClientTests",
      dependencies: [
        "GemLedger", "StoreBackend", "StoreClient", "SimulatedStores", "GemTestSupport",
        "StoreTestSupport",
      ],
      swiftSettings: houseRules),
    .testTarget(
      name: "StoreClientFoundationTests",
      dependencies: [
        "GemLedger", "StoreBackend", "StoreClient", "StoreClientFoundation", "SimulatedStores", "StoreTestSupport",
        "PageSnippets",
      ],
      swiftSettings: houseRules),
    .testTarget(
      name: "SimulatedStoresTests",
      dependencies: [
        "GemLedger", "GemLedgerAudit", "StoreBackend", "StoreClient", "SimulatedStores", "GemTestSupport",
        "StoreTestSupport",
      ],
      swiftSettings: houseRules),
    .testTarget(
      name: "SimulatedStoreKitTests",
      dependencies: [
        "GemLedger", "StoreBackend", "StoreClient", "StoreClientStoreKit", "SimulatedStores", "SimulatedStoreKit",
        "StoreTestSupport", "PageSnippets",
      ],
      swiftSettings: houseRules),
    .testTarget(
      name: "CrashTests",
      dependencies: [
        "GemLedger", "GemLedgerAudit", "GemLedgerSQLite", "StoreBackend", "StoreClient", "SimulatedStores",
        "GemTestSupport", "StoreTestSupport", "gemcrash", "gemctl",
        .target(name: "StoreClientHTTP", condition: onServer),
        .target(name: "GemServer", condition: onServer),
      ],
      swiftSettings: houseRules),
    .testTarget(
      name: "StoreSimulationTests",
      dependencies: [
        "GemLedger", "StoreBackend", .target(name: "StoreReceipts", condition: .when(traits: ["Receipts"])),
        "StoreClient", "SimulatedStores", "StoreSimulation", "GemTestSupport", "gemsoak",
      ],
      swiftSettings: houseRules),
    .testTarget(
      name: "gemctlTests",
      dependencies: [
        "gemctl", "GemLedger", "GemLedgerAudit", "GemLedgerSQLite", "GemTestSupport", "PostgresTestSupport",
        "StoreClient", "LedgerCharts",
      ],
      swiftSettings: houseRules),
    .testTarget(
      name: "PagesTests",
      dependencies: [
        "GemLedger", "GemLedgerAudit", "GemLedgerArchive", "GemLedgerSQLite", "GemLedgerPostgres", "GemLedgerSeal",
        "StoreBackend", "StoreReceipts", "StoreClient", "StoreClientFoundation", "StoreClientHTTP",
        "StoreClientStoreKit", "SimulatedStores", "SimulatedStoreKit", "StoreSimulation", "GemServer",
        "GemTestSupport", "ReadmeProgram", "gemctl",
      ],
      swiftSettings: houseRules),
    .testTarget(name: "gemtestTests", dependencies: ["gemtest"], swiftSettings: houseRules),
    .testTarget(
      name: "GemBenchmarksTests",
      dependencies: [
        "GemBenchmarks", "GemLedger", "GemLedgerSQLite", "GemTestSupport", "PostgresTestSupport", "gembench",
      ],
      swiftSettings: houseRules),
  ].filter { $0.type != .test || wantedTests.isEmpty || wantedTests.contains($0.name) },
  swiftLanguageModes: [.v6]
)
