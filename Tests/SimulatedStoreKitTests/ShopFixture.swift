import GemLedger
import SimulatedStoreKit
import StoreTestSupport
import XCTest

import struct SimulatedStoreKit.Product

/// The catalog and the configuration file that the tests share.
enum ShopFixture {
  static let top = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  static var gemsFile: URL { top.appendingPathComponent("Fixtures/gems.storekit") }

  static func gemsCatalog() throws -> Catalog {
    try Catalog.load(Array(Data(contentsOf: top.appendingPathComponent("Fixtures/gems.json"))))
  }

  /// A session with the three packs of gems.
  static func gemsSession() throws -> SKTestSession {
    try SKTestSession(contentsOf: gemsFile, bundleID: "com.example.gems")
  }

  static func product(_ id: String) async throws -> Product {
    let products = try await Product.products(for: [id])
    return try XCTUnwrap(products.first)
  }
}

extension AsyncSequence where Failure == Never {
  /// Everything in a sequence that ends.
  func collect() async -> [Element] {
    var elements: [Element] = []
    for await element in self { elements.append(element) }
    return elements
  }
}
