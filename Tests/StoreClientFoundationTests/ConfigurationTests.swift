import SimulatedStores
import StoreClient
import StoreTestSupport
import XCTest

@testable import StoreClientFoundation

/// Configuring with a key alone: what is missing is said, and nothing ends the app.
@MainActor
final class ConfigurationTests: XCTestCase {
  override func tearDown() async throws { SnippetWorld.close() }

  func testABadKeyLeavesAClientWithCallsThatThrow() async throws {
    _ = try SnippetWorld.open()
    let lines = Collector<String>()
    Purchases.logHandler = { level, message in lines.add("\(level) \(message)") }
    for key in ["sk_secret", "goog_other_store", ""] {
      Purchases.configure(withAPIKey: key)
      do {
        _ = try await Purchases.shared.offerings()
        XCTFail(key)
      } catch { XCTAssertEqual(error.code, .configuration) }
      do {
        _ = try await Purchases.shared.logIn("player-4f1c9a7e")
        XCTFail(key)
      } catch { XCTAssertEqual(error.errorCode, .configurationError) }
      XCTAssertTrue(Purchases.shared.isAnonymous)
    }
    let errors = lines.all.filter { $0.hasPrefix("error The client cannot be configured") }
    XCTAssertEqual(errors.count, 3, "\(lines.all)")
    XCTAssertFalse(lines.all.contains { $0.contains("sk_secret") }, "a key is no part of a log")
    Purchases.configure(withAPIKey: "appl_key", appUserID: "null")
    do {
      _ = try await Purchases.shared.virtualCurrencies()
      XCTFail("an id that is none")
    } catch { XCTAssertEqual(error.code, .invalidUserID) }
    Purchases.configure(withAPIKey: "appl_key")
    _ = try await Purchases.shared.offerings()
  }

  func testMissingLinesAreNamedAndTheShopIsEmpty() async throws {
    let lines = Collector<String>()
    Purchases.logHandler = { level, message in lines.add("\(level) \(message)") }
    StoreClient.defaults.eventLog = { (_) throws(LedgerError) in nil }
    Purchases.configure(withAPIKey: "appl_key")
    XCTAssertEqual(lines.all.count, 2, "\(lines.all)")
    let missing = lines.all.first { $0.hasPrefix("error") } ?? ""
    XCTAssertTrue(missing.contains("defaults.mode") && missing.contains("defaults.storefront"), missing)
    XCTAssertTrue(lines.all.contains { $0.hasPrefix("warn") && $0.contains("every launch is a new customer") })
    let offerings = try await Purchases.shared.offerings()
    XCTAssertEqual(offerings.ordered, [])
    let balances = try await Purchases.shared.virtualCurrencies()
    XCTAssertEqual(balances.all, [:])
  }

  func testTheStandardFileIsOneForEachKeyAndLastsOverLaunches() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    do {
      let log = try StandardEventLog.open(apiKey: "appl_one", in: folder)
      try log.append(["a record"])
    }
    XCTAssertEqual(try StandardEventLog.open(apiKey: "appl_one", in: folder).records(), ["a record"])
    XCTAssertEqual(try StandardEventLog.open(apiKey: "appl_two", in: folder).records(), [])
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    XCTAssertFalse(names.contains { $0.contains("appl_") }, "\(names)")
    #if os(Linux)
    let named = StandardEventLog.standardFolder(environment: ["XDG_STATE_HOME": "/state"]).path
    XCTAssertEqual(named, "/state/storeclient")
    let home = StandardEventLog.standardFolder(environment: ["XDG_STATE_HOME": "relative"]).path
    XCTAssertTrue(home.hasSuffix("/.local/state/storeclient"), home)
    #endif
  }

  func testAnActivationRefreshesBalances() async throws {
    let sandbox = try SnippetWorld.open()
    Purchases.configure(withAPIKey: "appl_key")
    let before = try await Purchases.shared.virtualCurrencies()
    XCTAssertEqual(before["GEM"]?.balance, 0)
    try sandbox.ledger.grant([Adjustment(CurrencyCode("GEM"), 7)], customer: Purchases.shared.customerID)
    let center = NotificationCenter()
    let name = Notification.Name("AppDidBecomeActive")
    var observer: ActivationObserver? = ActivationObserver(Purchases.shared, center: center, name: name)
    XCTAssertNotNil(observer)
    center.post(name: name, object: nil)
    try await until { Purchases.shared.cachedVirtualCurrencies?["GEM"]?.balance == 7 }
    observer = nil
    let count = sandbox.network.count(of: .balances)
    center.post(name: name, object: nil)
    for _ in 0..<1000 { await Task.yield() }
    XCTAssertEqual(sandbox.network.count(of: .balances), count, "let go of, it observes nothing")
  }
}
