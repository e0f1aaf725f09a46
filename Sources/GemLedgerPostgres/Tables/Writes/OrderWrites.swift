#if PostgreSQL
internal import GemLedger

/// Writes of orders, account tokens and entitlements.
struct OrderWrites: SessionPart {
  let session: PostgresSession

  func requests(_ changes: OrderChanges) -> [PostgresRequest] {
    var requests = changes.new.map(Self.claim)
    if !changes.new.isEmpty { requests.append(OrderRow.insert(changes.new)) }
    if !changes.changed.isEmpty {
      let rows = BulkInsert.last(changes.changed, of: \.number).sorted { $0.number < $1.number }
      requests.append(OrderRow.insert(rows, conflict: OrderRow.changing(withKey: ["customer", "number"])))
    }
    requests += changes.accountTokens.map { AccountTokenRow.insert([$0]) }
    return requests + changes.entitlements.flatMap(hold)
  }

  private static func claim(_ row: OrderRow) -> PostgresRequest {
    PostgresRequest(
      "INSERT INTO purchase_codes (code, customer, number) VALUES ($1, $2, $3)", row.code.text, row.customer, row.number
    )
  }

  private func hold(_ row: EntitlementRow) -> [PostgresRequest] {
    var requests: [PostgresRequest] = []
    if let before = prefetched?.holders[row.purchase] {
      requests.append(
        PostgresRequest("DELETE FROM entitlements WHERE customer = $1 AND purchase = $2", before, row.purchase))
    }
    let holder = PostgresRequest(
      """
      INSERT INTO entitlement_holders (purchase, holder) VALUES ($1, $2)
      ON CONFLICT (purchase) DO UPDATE SET holder = excluded.holder
      """, row.purchase, row.holder)
    let entitlement = PostgresRequest(
      "INSERT INTO entitlements (customer, purchase) VALUES ($1, $2) ON CONFLICT DO NOTHING", row.holder, row.purchase)
    return requests + [holder, entitlement]
  }
}
#endif
