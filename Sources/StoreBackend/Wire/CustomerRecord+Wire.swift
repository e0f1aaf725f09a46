package import GemLedger

extension CustomerRecord: WireValue {
  package init(wire: WireObject) throws(LedgerError) {
    self.init(
      customer: try wire["customer_id"].identifier(), originalID: try wire["original_id"].identifier(),
      ids: try wire["ids"].identifiers(), firstSeenAt: try wire["first_seen_at"].instant(),
      asOf: try wire["as_of"].instant(), entitlements: try wire["entitlements"].values(),
      nonSubscriptions: try wire["non_subscriptions"].values())
  }

  package static let form = JSONForm<CustomerRecord>([
    .always("customer_id", \.customer, .identifier()), .always("original_id", \.originalID, .identifier()),
    .always("ids", \.ids, .list(.identifier())), .always("first_seen_at", \.firstSeenAt, .instant),
    .always("as_of", \.asOf, .instant), .always("entitlements", \.entitlements, .list(.value)),
    .always("non_subscriptions", \.nonSubscriptions, .list(.value), "The newest 100."),
  ])
}

extension CustomerRecord.Entitlement: WireValue {
  package init(wire: WireObject) throws(LedgerError) {
    self.init(
      id: try wire["id"].text(), product: try wire["product"].identifier(),
      store: try wire["store"].word(Store.init(name:)), purchasedAt: try wire["purchased_at"].instant(),
      expiresAt: try wire["expires_at"].optional?.instant(), isActive: try wire["active"].flag())
  }

  package static let form = JSONForm<CustomerRecord.Entitlement>([
    .always("id", \.id, .text()), .always("product", \.product, .identifier()), .always("store", \.store, .store),
    .always("purchased_at", \.purchasedAt, .instant), .always("expires_at", \.expiresAt, .nullable(.instant)),
    .always("active", \.isActive, .boolean),
  ])
}

extension JSONKind<Store> {
  package static var store: Self { .word(Store.all, \.description) }
}
