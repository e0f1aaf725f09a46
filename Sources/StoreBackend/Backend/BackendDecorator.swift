public import GemLedger

/// A backend that wraps another backend: it answers calls itself, acts around them, or forwards them unchanged.
///
/// A conforming type names the wrapped backend and implements only its changes: ``intercept(_:_:)`` for all calls, or
/// single methods of ``PurchaseBackend``. Methods that it implements itself are not intercepted.
public protocol BackendDecorator: PurchaseBackend {
  /// The wrapped backend.
  var decorated: any PurchaseBackend { get }

  /// Runs a forwarded call; the default does nothing else.
  func intercept<Answer: Sendable>(
    _ call: BackendCall, _ body: () async throws(LedgerError) -> Answer
  ) async throws(LedgerError) -> Answer
}

/// A method of ``PurchaseBackend``, as ``BackendDecorator/intercept(_:_:)`` receives it.
public enum BackendCall: String, Hashable, Sendable, CaseIterable {
  /// Making a customer known.
  case register
  /// Signing in.
  case logIn
  /// Adding an id.
  case createAlias
  /// The preview of a sign-in.
  case previewLogIn
  /// The preview of a restore.
  case previewRestore
  /// The shop window.
  case offerings
  /// A receipt.
  case post
  /// A restore.
  case restore
  /// A customer's record.
  case customer
  /// Balances.
  case balances
  /// A spend.
  case spend
  /// Buying an item.
  case buyItem
  /// The history of purchases.
  case purchases
  /// The first step of a two-step purchase.
  case initPayment
  /// The second step of a two-step purchase.
  case completePayment
  /// Cancelling an order.
  case cancelPayment
  /// The first answer of a paid order.
  case payment
  /// The list of orders.
  case announcedOrders
}

extension BackendDecorator {
  /// The call as it is.
  public func intercept<Answer: Sendable>(
    _ call: BackendCall, _ body: () async throws(LedgerError) -> Answer
  ) async throws(LedgerError) -> Answer { try await body() }

  /// The answer of ``decorated``, as ``intercept(_:_:)`` lets it through.
  public func register(_ customer: CustomerID) async throws(LedgerError) -> Registration {
    try await intercept(.register) { () async throws(LedgerError) in try await decorated.register(customer) }
  }

  /// The answer of ``decorated``, as ``intercept(_:_:)`` lets it through.
  public func logIn(_ id: CustomerID, from current: CustomerID) async throws(LedgerError) -> Registration {
    try await intercept(.logIn) { () async throws(LedgerError) in try await decorated.logIn(id, from: current) }
  }

  /// The answer of ``decorated``, as ``intercept(_:_:)`` lets it through.
  public func createAlias(_ alias: CustomerID, of customer: CustomerID) async throws(LedgerError) -> Registration {
    try await intercept(.createAlias) { () async throws(LedgerError) in
      try await decorated.createAlias(alias, of: customer)
    }
  }

  /// The answer of ``decorated``, as ``intercept(_:_:)`` lets it through.
  public func previewLogIn(
    _ id: CustomerID, from current: CustomerID
  ) async throws(LedgerError) -> IdentityPreview {
    try await intercept(.previewLogIn) { () async throws(LedgerError) in
      try await decorated.previewLogIn(id, from: current)
    }
  }

  /// The answer of ``decorated``, as ``intercept(_:_:)`` lets it through.
  public func previewRestore(
    _ receipts: [StoreReceipt], customer: CustomerID, sharing: EntitlementSharing
  ) async throws(LedgerError) -> IdentityPreview {
    try await intercept(.previewRestore) { () async throws(LedgerError) in
      try await decorated.previewRestore(receipts, customer: customer, sharing: sharing)
    }
  }

  /// The answer of ``decorated``, as ``intercept(_:_:)`` lets it through.
  public func offerings(for app: AppPlatform) async throws(LedgerError) -> OfferingsSnapshot {
    try await intercept(.offerings) { () async throws(LedgerError) in try await decorated.offerings(for: app) }
  }

  /// The answer of ``decorated``, as ``intercept(_:_:)`` lets it through.
  public func post(_ post: ReceiptPost) async throws(LedgerError) -> ReceiptAnswer {
    try await intercept(.post) { () async throws(LedgerError) in try await decorated.post(post) }
  }

  /// The answer of ``decorated``, as ``intercept(_:_:)`` lets it through.
  public func restore(
    _ receipts: [StoreReceipt], customer: CustomerID, sharing: EntitlementSharing
  ) async throws(LedgerError) -> CustomerRecord {
    try await intercept(.restore) { () async throws(LedgerError) in
      try await decorated.restore(receipts, customer: customer, sharing: sharing)
    }
  }

  /// The answer of ``decorated``, as ``intercept(_:_:)`` lets it through.
  public func customer(_ customer: CustomerID) async throws(LedgerError) -> CustomerRecord {
    try await intercept(.customer) { () async throws(LedgerError) in try await decorated.customer(customer) }
  }

  /// The answer of ``decorated``, as ``intercept(_:_:)`` lets it through.
  public func balances(of customer: CustomerID) async throws(LedgerError) -> [Balance] {
    try await intercept(.balances) { () async throws(LedgerError) in try await decorated.balances(of: customer) }
  }

  /// The answer of ``decorated``, as ``intercept(_:_:)`` lets it through.
  public func spend(
    _ amounts: [Adjustment], customer: CustomerID, key: IdempotencyKey
  ) async throws(LedgerError) -> Booking {
    try await intercept(.spend) { () async throws(LedgerError) in
      try await decorated.spend(amounts, customer: customer, key: key)
    }
  }

  /// The answer of ``decorated``, as ``intercept(_:_:)`` lets it through.
  public func buyItem(
    _ item: ItemID, quantity: Int64, customer: CustomerID, key: IdempotencyKey
  ) async throws(LedgerError) -> Booking {
    try await intercept(.buyItem) { () async throws(LedgerError) in
      try await decorated.buyItem(item, quantity: quantity, customer: customer, key: key)
    }
  }

  /// The answer of ``decorated``, as ``intercept(_:_:)`` lets it through.
  public func purchases(of customer: CustomerID, page: Int, size: Int) async throws(LedgerError) -> [PurchaseRecord] {
    try await intercept(.purchases) { () async throws(LedgerError) in
      try await decorated.purchases(of: customer, page: page, size: size)
    }
  }

  /// The answer of ``decorated``, as ``intercept(_:_:)`` lets it through.
  public func initPayment(_ request: OrderRequest) async throws(LedgerError) -> Order {
    try await intercept(.initPayment) { () async throws(LedgerError) in try await decorated.initPayment(request) }
  }

  /// The answer of ``decorated``, as ``intercept(_:_:)`` lets it through.
  public func completePayment(_ code: PurchaseCode, post: ReceiptPost) async throws(LedgerError) -> ReceiptAnswer {
    try await intercept(.completePayment) { () async throws(LedgerError) in
      try await decorated.completePayment(code, post: post)
    }
  }

  /// The answer of ``decorated``, as ``intercept(_:_:)`` lets it through.
  public func payment(of code: PurchaseCode, customer: CustomerID) async throws(LedgerError) -> ReceiptAnswer? {
    try await intercept(.payment) { () async throws(LedgerError) in
      try await decorated.payment(of: code, customer: customer)
    }
  }

  /// The answer of ``decorated``, as ``intercept(_:_:)`` lets it through.
  public func announcedOrders(of customer: CustomerID, page: Int, size: Int) async throws(LedgerError) -> [Order] {
    try await intercept(.announcedOrders) { () async throws(LedgerError) in
      try await decorated.announcedOrders(of: customer, page: page, size: size)
    }
  }

  /// The answer of ``decorated``, as ``intercept(_:_:)`` lets it through.
  public func cancelPayment(_ code: PurchaseCode) async throws(LedgerError) -> Order {
    try await intercept(.cancelPayment) { () async throws(LedgerError) in try await decorated.cancelPayment(code) }
  }
}
