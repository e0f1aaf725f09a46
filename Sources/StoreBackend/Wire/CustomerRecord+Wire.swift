package import GemLedger

extension CustomerRecord: WireValue {
  package init(wire: WireObject) throws(LedgerError) {
    self.init(
      customer: try wire["customer_id"].identifier(), originalID: try wire["original_id"].identifier(),
      ids: try wire["ids"].identifiers(), firstSeenAt: try wire["first_seen_at"].instant(),
      asOf: try wire["as_of"].instant(), entitlements: try wire["entitlements"].values(),
      nonSubscriptions: try wire["non_subscriptions"].values())
  }

  package var wire: JSONValue {
    [
      "customer_id": .string(customer.text), "original_id": .string(originalID.text),
      "ids": .array(ids.map { .string($0.text) }), "first_seen_at": JSONValue(firstSeenAt), "as_of": JSONValue(asOf),
      "entitlements": entitlements.wire, "non_subscriptions": nonSubscriptions.wire,
    ]
  }
}

extension CustomerRecord.Entitlement: WireValue {
  package init(wire: WireObject) throws(LedgerError) {
    self.init(
      id: try wire["id"].text(), product: try wire["product"].identifier(),
      store: try wire["store"].word(Store.init(name:)), purchasedAt: try wire["purchased_at"].instant(),
      expiresAt: try wire["expires_at"].optional?.instant(), isActive: try wire["active"].flag())
  }

  package var wire: JSONValue {
    [
      "id": .string(id), "product": .string(product.text), "store": .string(store.description),
      "purchased_at": JSONValue(purchasedAt), "expires_at": JSONValue(expiresAt), "active": .bool(isActive),
    ]
  }
}
