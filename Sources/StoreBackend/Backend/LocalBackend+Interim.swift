public import GemLedger

extension LocalBackend {
  public func logIn(_ id: CustomerID, from current: CustomerID) async throws(LedgerError) -> Registration {
    try await register(id)
  }
  public func createAlias(_ alias: CustomerID, of customer: CustomerID) async throws(LedgerError) -> Registration {
    throw LedgerError(.unexpected, "not here yet")
  }
  public func restore(
    _ receipts: [StoreReceipt], customer: CustomerID, sharing: EntitlementSharing
  ) async throws(LedgerError) -> CustomerRecord { throw LedgerError(.unexpected, "not here yet") }
  public func customer(_ customer: CustomerID) async throws(LedgerError) -> CustomerRecord {
    throw LedgerError(.unexpected, "not here yet")
  }
  public func purchases(of customer: CustomerID, page: Int, size: Int) async throws(LedgerError) -> [PurchaseRecord] {
    throw LedgerError(.unexpected, "not here yet")
  }
  func refund(_ t: StoreTransaction, _ r: StoreTransaction.Revocation) async throws(LedgerError) -> Receipt? { nil }
  func applyGivenBack(of t: StoreTransaction) async throws(LedgerError) {}
}
