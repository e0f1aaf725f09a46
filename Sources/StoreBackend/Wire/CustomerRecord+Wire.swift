package import GemLedger

extension CustomerRecord: WireValue {
  package init(wire: WireObject) throws(LedgerError) {
    self.init(
      customer: try wire.identifier("customer_id"), originalID: try wire.identifier("original_id"),
      ids: try wire.identifiers("ids"), firstSeenAt: try wire.instant("first_seen_at"),
      asOf: try wire.instant("as_of"), entitlements: try wire.values("entitlements"),
      nonSubscriptions: try wire.values("non_subscriptions"))
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
      id: try wire.text("id"), product: try wire.identifier("product"),
      store: try wire.word("store", Store.init(name:)), purchasedAt: try wire.instant("purchased_at"),
      expiresAt: try wire.optionalInstant("expires_at"), isActive: try wire.flag("active"))
  }

  package var wire: JSONValue {
    [
      "id": .string(id), "product": .string(product.text), "store": .string(store.description),
      "purchased_at": JSONValue(purchasedAt), "expires_at": JSONValue(expiresAt), "active": .bool(isActive),
    ]
  }
}
