#if Server
public import GemLedger
public import StoreBackend

// Customers, their ids and their balances.
extension HTTPBackend {
  /// As `PurchaseBackend.register(_:)`.
  public func register(_ customer: CustomerID) async throws(LedgerError) -> Registration {
    try await answer(to: .post("subscribers", customer.text, "register", customer: customer), Registration.init(wire:))
  }

  /// As `PurchaseBackend.logIn(_:from:)`; needs a session token of the id if the project requires proof of logins.
  public func logIn(_ id: CustomerID, from current: CustomerID) async throws(LedgerError) -> Registration {
    try await answer(
      to: .post("subscribers", "identify", customer: current, adding: id, body: Self.identify(id, current))
    ) {
      (wire) throws(LedgerError) in Registration(customer: id, isCreated: try wire["created"].flag())
    }
  }

  /// As `PurchaseBackend.createAlias(_:of:)`; needs a session token of each of the two ids that is not anonymous.
  ///
  /// An anonymous customer needs none unless the project requires proof of logins.
  public func createAlias(_ alias: CustomerID, of customer: CustomerID) async throws(LedgerError) -> Registration {
    let body: JSONValue = ["new_app_user_id": .string(alias.text)]
    return try await answer(
      to: .post("subscribers", customer.text, "alias", customer: customer, adding: alias, body: body)
    ) {
      (wire) throws(LedgerError) in Registration(customer: alias, isCreated: try wire["created"].flag())
    }
  }

  /// As `PurchaseBackend.previewLogIn(_:from:)`.
  public func previewLogIn(
    _ id: CustomerID, from current: CustomerID
  ) async throws(LedgerError) -> IdentityPreview {
    try await answer(
      to: .post(
        "subscribers", "identify", "preview", customer: current, adding: id, body: Self.identify(id, current)),
      IdentityPreview.init(wire:))
  }

  private static func identify(_ id: CustomerID, _ current: CustomerID) -> JSONValue {
    ["app_user_id": .string(current.text), "new_app_user_id": .string(id.text)]
  }

  /// As `PurchaseBackend.restore(_:customer:sharing:)`, but only for entitlements.
  ///
  /// A receipt can be a copy of another person's receipt: a server merges no customers for an app's restore, under any
  /// rule.
  public func restore(
    _ receipts: [StoreReceipt], customer: CustomerID, sharing: EntitlementSharing
  ) async throws(LedgerError) -> CustomerRecord {
    try await answer(
      to: .post(
        "subscribers", customer.text, "restore", customer: customer, body: Self.restore(receipts, sharing))
    ) { (wire) throws(LedgerError) in try wire["customer"].read() }
  }

  /// As `PurchaseBackend.previewRestore(_:customer:sharing:)`.
  public func previewRestore(
    _ receipts: [StoreReceipt], customer: CustomerID, sharing: EntitlementSharing
  ) async throws(LedgerError) -> IdentityPreview {
    try await answer(
      to: .post(
        "subscribers", customer.text, "restore", "preview", customer: customer,
        body: Self.restore(receipts, sharing)),
      IdentityPreview.init(wire:))
  }

  private static func restore(_ receipts: [StoreReceipt], _ sharing: EntitlementSharing) -> JSONValue {
    ["receipts": .array(receipts.map { .string($0.text) }), "sharing": .string(sharing.name)]
  }

  /// As `PurchaseBackend.customer(_:)`.
  public func customer(_ customer: CustomerID) async throws(LedgerError) -> CustomerRecord {
    try await answer(to: .get("subscribers", customer.text, customer: customer)) { (wire) throws(LedgerError) in
      try wire["customer"].read()
    }
  }

  /// As `PurchaseBackend.balances(of:)`.
  public func balances(of customer: CustomerID) async throws(LedgerError) -> [Balance] {
    try await answer(to: .get("subscribers", customer.text, "virtual_currencies", customer: customer)) {
      (wire) throws(LedgerError) in
      var balances: [Balance] = []
      for (_, balance) in try wire["virtual_currencies"].optional?.members() ?? [] {
        balances.append(try balance.read())
      }
      return balances
    }
  }

  /// As `PurchaseBackend.purchases(of:page:size:)`; without a session token the purchases have no orders.
  public func purchases(of customer: CustomerID, page: Int, size: Int) async throws(LedgerError) -> [PurchaseRecord] {
    try await answer(
      to: .get(
        "subscribers", customer.text, "purchases", customer: customer, session: .preferred,
        query: Self.paging(page, size))
    ) { (wire) throws(LedgerError) in try wire["purchases"].values() }
  }

  static func paging(_ page: Int, _ size: Int) -> [(name: String, value: String)] {
    [("page", String(page)), ("size", String(size))]
  }
}
#endif
