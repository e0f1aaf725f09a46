import GemLedger
import StoreBackend
import StoreClient

/// `restore`, `entitlements`: the customer's purchases and entitlements.
struct ClientCommands {
  let invocation: Invocation

  func restore() throws {
    if invocation.parsed.isDryRun {
      return try IdentityCommands(invocation: invocation).preview { (session) async throws(LedgerError) in
        try await session.client.previewRestore()
      }
    }
    let info = try invocation.withClient { (session) async throws(LedgerError) in
      try await session.client.restorePurchases()
    }
    try show(info.record, found: info.record.nonSubscriptions)
  }

  func entitlements() throws {
    let customer = try invocation.recoveredCustomer()
    let record = try invocation.withClient(onlyReads: true) { (session) async throws(LedgerError) in
      // A read creates no customer.
      try session.backend.knownCustomer(customer)
    }
    try show(record)
  }

  /// - Parameter purchases: The purchases that a restore found, newest first; nil for no restore.
  private func show(_ record: CustomerRecord, found purchases: [PurchaseRecord]? = nil) throws(LedgerError) {
    let all = record.entitlements
    var json: JSONObject = ["customer_id": .string(record.customer.text)]
    if let purchases {
      json["purchases"] = .array(purchases) { purchase in
        [
          "store_transaction_id": .string(purchase.storeTransactionID.text),
          "product_id": .string(purchase.product.text), "quantity": .integer(purchase.quantity),
        ]
      }
    }
    json["entitlements"] = .array(all) {
      [
        "id": .string($0.id), "active": .bool($0.isActive), "product_id": .string($0.product.text),
        "store": .string($0.store.description), "purchased_at": .string($0.purchasedAt.description),
        "expires_at": JSONValue($0.expiresAt?.description),
      ]
    }
    try invocation.print(.object(json)) { style in
      let table = all.table([
        .left("ENTITLEMENT", \.id), .left("ACTIVE") { $0.isActive ? "yes" : "no" }, .left("PRODUCT", \.product.text),
        .time("EXPIRES AT", none: "never", \.expiresAt),
      ])
      return (purchases.map(Self.text) ?? "") + table.text(style: style, none: "No entitlements.")
    }
  }

  private static func text(_ purchases: [PurchaseRecord]) -> String {
    guard !purchases.isEmpty else { return "Found no purchases.\n" }
    var counts: [(product: String, count: Int64)] = []
    for purchase in purchases {
      if let index = counts.firstIndex(where: { $0.product == purchase.product.text }) {
        counts[index].count += purchase.quantity
      } else {
        counts.append((purchase.product.text, purchase.quantity))
      }
    }
    let list = counts.map { $0.count == 1 ? $0.product : "\($0.count) \($0.product)" }.joined(separator: ", ")
    return "Found \(list). Credited purchases are not credited again.\n"
  }
}
