import GemLedger
import StoreBackend

/// `receipts held` and `receipts credit`: paid purchases that are not credited yet.
struct HeldReceiptCommands {
  let invocation: Invocation

  static let reasons = HoldReason.allCases.map(\.name)

  func list() throws {
    try invocation.checkForm()
    let (wanted, limit) = (invocation.parsed.value("--reason").flatMap(HoldReason.init(name:)), try invocation.limit())
    let (held, quarantined) = try invocation.withLedger {
      (ledger) throws(LedgerError) -> ([HeldPurchase], Int) in
      let backend = try Self.backend(ledger)
      var found: [HeldPurchase] = []
      for reason in wanted.map({ [$0] }) ?? HoldReason.allCases.filter(\.isOpen) where found.count < limit {
        found += try backend.heldPurchases(for: reason, limit: limit - found.count)
      }
      return (found, try QuarantinedBodies.count(in: ledger))
    }
    let json: JSONValue = ["held": .array(held.map(Self.json)), "quarantined": .integer(Int64(quarantined))]
    try invocation.print(json, csv: Self.table(held)) { style in
      let waiting =
        quarantined == 0
        ? "" : "\(quarantined) posts and notifications cannot be verified yet; the server tries them again.\n"
      guard !held.isEmpty else {
        return "No purchase is held: all known paid purchases are credited.\n" + waiting
      }
      let reasons = Set(held.map(\.reason)).sorted { $0.rawValue < $1.rawValue }
      let remedies = reasons.map { "\(style.bold($0.name)): \($0.remedy)\n" }.joined()
      return Self.table(held).text(style: style) + "\n" + remedies + waiting
    }
  }

  func credit() throws {
    let parsed = invocation.parsed
    let text = parsed.positionals[0]
    let customer = try invocation.settings.customer.map { (id) throws(LedgerError) in try invocation.customer(named: id)
    }
    let product = try parsed.value("--product") { (text) throws(LedgerError) in try ProductCode(text) }
    let details = try invocation.details()
    guard details.reason != nil else {
      throw invocation.usageError("\"receipts credit\" needs --reason TEXT")
    }
    let booking = try invocation.withLedger { (ledger) throws(LedgerError) -> Booking in
      let backend = try Self.backend(ledger)
      let id = try Self.id(text, in: backend)
      let found = try backend.heldPurchases(with: id).filter {
        $0.reason.isOpen || $0.reason == .declined || $0.reason == .refunded
      }
      guard let held = found.first else {
        throw LedgerError(
          .purchaseNotFound, "No held purchase has the id \"\(id)\"; \"gemctl receipts held\" lists them.",
          details: [.text("store_transaction_id", id.text)])
      }
      guard found.count == 1 else {
        throw .invalid("Purchases at several stores have the id \"\(id)\"; credit them with \"gemctl grant\".")
      }
      return try Blocking.wait { () async throws(LedgerError) in
        try await backend.credit(held, to: customer, as: product, details: details)
      }
    }
    let view = BookingView(booking, isDryRun: false)
    try invocation.print(view.json, { view.text(style: $0) })
  }

  /// Returns the id of a purchase: a full id, or the shortened id of a held purchase.
  private static func id(_ text: String, in backend: LocalBackend) throws(LedgerError) -> StoreTransactionID {
    guard let shortened = ShortenedID(text) else { return try StoreTransactionID(text) }
    var ids: [String] = []
    for reason in HoldReason.allCases { ids += try backend.heldPurchases(for: reason).map(\.transactionID.text) }
    return try StoreTransactionID(try shortened.only(of: ids) ?? text)
  }

  /// It has no verifiers: held purchases were verified on arrival.
  static func backend(_ ledger: Ledger) throws(LedgerError) -> LocalBackend {
    LocalBackend(ledger: ledger, verifier: try UnsignedReceipts(session: "operator"))
  }

  private static func json(_ held: HeldPurchase) -> JSONValue {
    let transaction = held.transaction
    return [
      "store_transaction_id": .string(held.transactionID.text), "store": .string(held.store.description),
      "environment": .string(held.environment.description), "reason": .string(held.reason.name),
      "remedy": .string(held.reason.remedy), "since": .string(held.since.description),
      "due_at": JSONValue(held.dueAt?.description), "customer_id": JSONValue(held.customer?.text),
      "store_product_id": JSONValue(transaction?.storeProductID), "quantity": JSONValue(transaction?.quantity),
      "purchased_at": JSONValue(transaction?.purchasedAt.description),
    ]
  }

  private static func table(_ held: [HeldPurchase]) -> Table {
    held.table([
      .id("STORE TRANSACTION", \.transactionID.text), .left("STORE", \.store.description),
      .left("REASON", \.reason.name), .time("SINCE", \.since), .left("PRODUCT", \.transaction?.storeProductID),
      .id("CUSTOMER", \.customer?.text),
    ])
  }
}
