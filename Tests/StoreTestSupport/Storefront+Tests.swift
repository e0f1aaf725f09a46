package import GemLedger
package import StoreBackend
package import StoreClient
internal import XCTest

extension Storefront {
  /// Buys one unit or more; fails unless it is paid for.
  @discardableResult
  package func buy(
    _ product: String, quantity: Int64 = 1, token: AccountToken? = nil, file: StaticString = #filePath,
    line: UInt = #line
  ) async throws -> StoreTransaction {
    let result = try await purchase(StorePaymentRequest(productID: product, quantity: quantity, accountToken: token))
    guard case .success(let evidence) = result else {
      XCTFail("expected a success, got \(result)", file: file, line: line)
      throw StoreFailure.unknown
    }
    return evidence.transaction
  }

  package func unfinishedIDs() async throws -> [StoreTransactionID] {
    try await unfinished(after: nil, limit: 1000).map(\.transaction.id)
  }
}

/// Fails unless the store fails so.
package func assertFails(
  _ failure: StoreFailure, file: StaticString = #filePath, line: UInt = #line, _ body: () async throws -> some Any
) async {
  do {
    let value = try await body()
    XCTFail("expected \(failure), got \(value)", file: file, line: line)
  } catch {
    XCTAssertEqual(error as? StoreFailure, failure, "\(error)", file: file, line: line)
  }
}
