import Foundation
import GemLedger
import SimulatedStores
import StoreBackend
import StoreClient
import StoreTestSupport
import XCTest

/// The page about the simulated store agrees with the code.
final class SimulatedStorePageTests: XCTestCase {
  private static let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private func text(of path: String) throws -> String {
    try String(contentsOf: Self.top.appending(path: path), encoding: .utf8)
  }

  private func page() throws -> String {
    try text(of: "Sources/SimulatedStores/SimulatedStores.docc/SimulatedStore.md")
  }

  /// The cells of all tables, by row.
  private func rows() throws -> [[Substring]] {
    try page().split(separator: "\n").filter { $0.hasPrefix("| ") }.map { $0.split(separator: "|") }
  }

  func testEveryTestThatThePageNamesIsThere() throws {
    let folder = "Tests/SimulatedStoresTests/Stores"
    var tests: Set<String> = []
    for file in try FileManager.default.contentsOfDirectory(atPath: Self.top.appending(path: folder).path) {
      let name = file.replacing(".swift", with: "")
      for found in try text(of: "\(folder)/\(file)").matches(of: /func (test\w+)\(/) {
        tests.insert("\(name).\(found.1)")
      }
    }
    let named = try rows().flatMap { row in
      row.last.map { $0.matches(of: /`(\w+\.test\w+)`/).map { String($0.1) } } ?? []
    }
    XCTAssertGreaterThan(named.count, 45)
    for name in named { XCTAssertTrue(tests.contains(name), "\(name) is no test") }
  }

  func testTheExampleRuns() async throws {
    var said: [String] = []
    func print(_ items: Any...) { said.append(items.map { "\($0)" }.joined(separator: " ")) }

    // The example begins here.
    let pack = Product(
      code: try ProductCode("gems"), storeIDs: ["apple": "gems"], type: .consumable,
      localizations: [Localization(locale: "en_US", title: "Gems")],
      prices: [.unitedStates: try Price("9.99", in: StorefrontCode.unitedStates.currency)],
      grants: [Grant(currency: try CurrencyCode("GEM"), amount: 1200)])
    let catalog = try Catalog(currencies: [Currency(code: CurrencyCode("GEM"), name: "Gems")], products: [pack])
    let clock = VirtualClock()
    let receipts = try UnsignedReceipts(session: "test")
    let store = try SimulatedStore(catalog: catalog, session: "test", clock: clock, signer: receipts)
    let phone = store.account("alice").device("phone")

    // The customer pays, and the answer is lost on its way.
    try store.inject(StoreFault(.networkCutAfter, on: .purchase))
    do {
      _ = try await phone.purchase(StorePaymentRequest(productID: "gems"))
    } catch {
      print(error)  // networkError
    }

    // Nothing is lost: it is listed until it is finished.
    for evidence in try await phone.unfinished(after: nil, limit: 100) {
      print(evidence.transaction.storeProductID, evidence.transaction.quantity)  // gems 1
      try await phone.finish(evidence.transaction.id)
    }
    print(try await phone.unfinished(after: nil, limit: 100).count)  // 0
    // The example ends here.

    XCTAssertEqual(said, ["networkError", "gems 1", "0"])
    let own = try text(of: "Tests/SimulatedStoresTests/Stores/SimulatedStorePageTests.swift")
    let example = lines(own, from: "    // The example begins here.", to: "    // The example ends here.")
    let imports = ["GemLedger", "SimulatedStores", "StoreBackend", "StoreClient"].map { "import \($0)" }
    let shown = lines(try page(), from: "```swift", to: "```")
    XCTAssertEqual(shown, imports + [""] + example.map { String($0.dropFirst(4)) })
  }

  private func lines(_ text: String, from opening: String, to closing: String) -> [String] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.drop { $0 != opening }.dropFirst().prefix { $0 != closing }.map(String.init)
  }
}
