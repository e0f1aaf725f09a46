import GemLedger
import SimulatedStoreKit
import StoreBackend

/// The server of an app: it verifies a transaction's JWS, and credits its customer once.
actor GemServer: CreditingServer {
  /// The server cannot be reached.
  struct Unreachable: Error {}

  let ledger: Ledger
  private let backend: LocalBackend
  private let customer: CustomerID
  var isReachable = true
  private(set) var postCount = 0

  init(verifying receipts: UnsignedReceipts, catalog: Catalog, customer: String = "alice") throws {
    ledger = Ledger.inMemory()
    try ledger.apply(catalog)
    backend = LocalBackend(ledger: ledger, verifier: receipts)
    self.customer = try CustomerID(customer)
  }

  func setReachable(_ isReachable: Bool) { self.isReachable = isReachable }

  /// Credits the transaction, or takes the refunded part back; the second call with it changes nothing.
  @discardableResult
  func post(jws: String) async throws -> Int64 {
    guard isReachable else { throw Unreachable() }
    postCount += 1
    _ = try await backend.post(ReceiptPost(receipt: StoreReceipt(jws), customer: customer, source: .purchase))
    return try gems()
  }

  func gems() throws -> Int64 {
    guard isReachable else { throw Unreachable() }
    return try ledger.balance(of: CurrencyCode("GEM"), customer: customer).balance
  }
}
