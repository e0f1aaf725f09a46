import GemLedger
import GemLedgerAudit
import LedgerCharts

/// The parts that several reports share.
enum InsightView {
  static func members(_ origin: LotOrigin) -> [(String, JSONValue)] {
    [
      ("lot", .integer(origin.lot)), ("source", .string(origin.source.name)),
      ("environment", .string(EnvironmentText.name(origin.environment))), ("price", MoneyText.json(origin.price)),
      ("expires_at", JSONValue(origin.expiresAt?.description)),
      ("purchase", origin.purchase.map { .object(object($0)) } ?? nil),
      ("origins", .array(origin.origins.map(JSONValue.integer))),
    ]
  }

  static func object(_ purchase: Purchase) -> JSONObject {
    [
      "store_transaction_id": .string(purchase.storeTransactionID.text), "store": .string(purchase.store.description),
      "environment": .string(EnvironmentText.name(purchase.environment)), "product_id": .string(purchase.product.text),
      "quantity": .integer(purchase.quantity), "price": MoneyText.json(purchase.price),
      "purchased_at": .string(purchase.purchasedAt.description),
      "transaction_id": .string(purchase.transactionID.description), "customer_id": .string(purchase.customer.text),
    ]
  }

  static func items(_ items: [PostedItem]) -> JSONValue {
    .array(items) {
      ["item": .string($0.item.text), "quantity": .integer($0.quantity), "owned": .integer($0.owned)]
    }
  }

  /// Returns a short text of a lot's origin: `gems_1200 at apple, 2000000123456789`.
  static func from(_ origin: LotOrigin) -> String {
    var words: [String] = []
    if let purchase = origin.purchase {
      words.append("\(purchase.product) at \(purchase.store), \(purchase.storeTransactionID)")
    }
    if let first = origin.origins.first { words.append("out of lot \(first)") }
    if origin.environment != .production { words.append("\(origin.environment)") }
    return words.joined(separator: "; ")
  }

  static func about(_ items: [PostedItem], _ reference: Reference?, _ reason: Reason?) -> String {
    let items = items.map { "\(AmountText.signed($0.quantity)) \($0.item)" }
    return (items + [reference?.text, reason?.text].compactMap { $0 }).joined(separator: "; ")
  }

  static func kinds(_ kinds: [EntryKind: Int64]) -> JSONValue {
    .object(kinds.sorted { $0.key.rawValue < $1.key.rawValue }) { ($0.key.name, .integer($0.value)) }
  }
}
