#if Server
internal import GemLedger

/// Purchases in a table, with links to their pages.
enum PurchaseTable {
  static func path(of purchase: Purchase) -> ConsolePath {
    path(purchase.store, purchase.environment, purchase.storeTransactionID)
  }

  static func path(
    _ store: Store, _ environment: StoreEnvironment, _ id: StoreTransactionID, _ rest: String...
  ) -> ConsolePath {
    ConsolePath(
      parts: ["purchases", store.description, environment.description, id.text] + rest,
      query: [("session", environment.session)])
  }

  static func html(_ purchases: [Purchase], _ caption: String, _ reader: Reader) -> HTML {
    DataTable(
      caption, ["Purchase", "Bought", "Product", "#Quantity", "#Price", "Store", "Refunded"],
      purchases.map { purchase in
        [
          .link(.foreign(purchase.storeTransactionID.text, limit: 30), to: path(of: purchase)),
          reader.time(purchase.purchasedAt), .foreign(purchase.product.text), reader.amount(purchase.quantity),
          purchase.price.map(reader.money) ?? "–", .text("\(purchase.store), \(purchase.environment)"),
          purchase.refundedMilliPercent == 0 ? .none : .badge("\(purchase.refundedMilliPercent / 1000) %", "warning"),
        ]
      }
    ).html(none: "No purchases.")
  }
}
#endif
