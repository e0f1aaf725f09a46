internal import GemLedger
internal import StoreBackend

/// The backend of a client that could not be configured: every call throws the reason.
struct RefusingBackend: PurchaseBackend {
  let error: LedgerError

  func register(_ customer: CustomerID) async throws(LedgerError) -> Registration { throw error }
  func logIn(_ id: CustomerID, from current: CustomerID) async throws(LedgerError) -> Registration { throw error }
  func createAlias(_ alias: CustomerID, of customer: CustomerID) async throws(LedgerError) -> Registration {
    throw error
  }
  func offerings(for app: AppPlatform) async throws(LedgerError) -> OfferingsSnapshot { throw error }
  func post(_ post: ReceiptPost) async throws(LedgerError) -> ReceiptAnswer { throw error }
  func restore(
    _ receipts: [StoreReceipt], customer: CustomerID, sharing: EntitlementSharing
  ) async throws(LedgerError) -> CustomerRecord { throw error }
  func customer(_ customer: CustomerID) async throws(LedgerError) -> CustomerRecord { throw error }
  func balances(of customer: CustomerID) async throws(LedgerError) -> [Balance] { throw error }
  func spend(
    _ amounts: [Adjustment], customer: CustomerID, key: IdempotencyKey
  ) async throws(LedgerError) -> Booking { throw error }
  func purchases(of customer: CustomerID, page: Int, size: Int) async throws(LedgerError) -> [PurchaseRecord] {
    throw error
  }
  func initPayment(_ request: OrderRequest) async throws(LedgerError) -> Order { throw error }
  func completePayment(_ code: PurchaseCode, post: ReceiptPost) async throws(LedgerError) -> ReceiptAnswer {
    throw error
  }
  func payment(of code: PurchaseCode, customer: CustomerID) async throws(LedgerError) -> ReceiptAnswer? { throw error }
  func cancelPayment(_ code: PurchaseCode) async throws(LedgerError) -> Order { throw error }
}
