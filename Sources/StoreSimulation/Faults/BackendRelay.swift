internal import GemLedger
internal import StoreBackend

/// A backend that does something around the calls of another one.
protocol BackendRelay: PurchaseBackend {
  var inner: any PurchaseBackend { get }

  /// Called for every call that the conforming type does not answer itself.
  func relay<Answer: Sendable>(
    _ body: () async throws(LedgerError) -> Answer
  ) async throws(LedgerError) -> Answer
}

extension BackendRelay {
  func relay<Answer: Sendable>(
    _ body: () async throws(LedgerError) -> Answer
  ) async throws(LedgerError) -> Answer { try await body() }

  func register(_ customer: CustomerID) async throws(LedgerError) -> Registration {
    try await relay { () async throws(LedgerError) in try await inner.register(customer) }
  }

  func logIn(_ id: CustomerID, from current: CustomerID) async throws(LedgerError) -> Registration {
    try await relay { () async throws(LedgerError) in try await inner.logIn(id, from: current) }
  }

  func createAlias(_ alias: CustomerID, of customer: CustomerID) async throws(LedgerError) -> Registration {
    try await relay { () async throws(LedgerError) in try await inner.createAlias(alias, of: customer) }
  }

  func offerings(for app: AppPlatform) async throws(LedgerError) -> OfferingsSnapshot {
    try await relay { () async throws(LedgerError) in try await inner.offerings(for: app) }
  }

  func post(_ post: ReceiptPost) async throws(LedgerError) -> ReceiptAnswer {
    try await relay { () async throws(LedgerError) in try await inner.post(post) }
  }

  func restore(
    _ receipts: [StoreReceipt], customer: CustomerID, sharing: EntitlementSharing
  ) async throws(LedgerError) -> CustomerRecord {
    try await relay { () async throws(LedgerError) in
      try await inner.restore(receipts, customer: customer, sharing: sharing)
    }
  }

  func customer(_ customer: CustomerID) async throws(LedgerError) -> CustomerRecord {
    try await relay { () async throws(LedgerError) in try await inner.customer(customer) }
  }

  func balances(of customer: CustomerID) async throws(LedgerError) -> [Balance] {
    try await relay { () async throws(LedgerError) in try await inner.balances(of: customer) }
  }

  func spend(
    _ amounts: [Adjustment], customer: CustomerID, key: IdempotencyKey
  ) async throws(LedgerError) -> Receipt {
    try await relay { () async throws(LedgerError) in try await inner.spend(amounts, customer: customer, key: key) }
  }

  func purchases(of customer: CustomerID, page: Int, size: Int) async throws(LedgerError) -> [PurchaseRecord] {
    try await relay { () async throws(LedgerError) in
      try await inner.purchases(of: customer, page: page, size: size)
    }
  }

  func initPayment(_ request: OrderRequest) async throws(LedgerError) -> Order {
    try await relay { () async throws(LedgerError) in try await inner.initPayment(request) }
  }

  func completePayment(_ code: PurchaseCode, post: ReceiptPost) async throws(LedgerError) -> ReceiptAnswer {
    try await relay { () async throws(LedgerError) in try await inner.completePayment(code, post: post) }
  }

  func payment(of code: PurchaseCode, customer: CustomerID) async throws(LedgerError) -> ReceiptAnswer? {
    try await relay { () async throws(LedgerError) in try await inner.payment(of: code, customer: customer) }
  }

  func cancelPayment(_ code: PurchaseCode) async throws(LedgerError) -> Order {
    try await relay { () async throws(LedgerError) in try await inner.cancelPayment(code) }
  }
}
