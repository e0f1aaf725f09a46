extension Booking: WireValue {
  package init(wire: WireObject) throws(LedgerError) {
    self.init(
      try wire.word("kind") { name in EntryKind.allCases.first { $0.name == name } },
      transactionID: try wire.optionalTransactionID("transaction_id"), customer: try wire.identifier("customer_id"),
      createdAt: try wire.instant("created_at"), entries: try wire.values("entries"),
      items: try wire.values("items"), isReplayed: try wire.flag("replayed"))
    isOverMaximum = try wire.flag("over_maximum")
    isAwaitingPurchase = try wire.flag("awaiting_purchase")
    completesOrder = try wire.flag("completes_order")
    extras = BookingExtras(
      hold: try wire.optionalValue("hold"), reversed: try wire.optionalTransactionID("reversed_transaction_id"),
      expired: try wire.amounts("expired"), reclaimed: try wire.amounts("reclaimed"),
      parties: try wire.values("parties"))
  }

  /// All members except the report of an unmerge, which no client requests.
  package var wire: JSONValue {
    [
      "transaction_id": JSONValue(transactionID?.description), "customer_id": .string(customer.text),
      "kind": .string(kind.name), "created_at": JSONValue(createdAt), "entries": entries.wire, "items": items.wire,
      "replayed": .bool(isReplayed), "over_maximum": .bool(isOverMaximum),
      "awaiting_purchase": .bool(isAwaitingPurchase), "completes_order": .bool(completesOrder),
      "hold": hold?.wire ?? .null, "reversed_transaction_id": JSONValue(reversed?.description),
      "expired": JSONValue(amounts: expired), "reclaimed": JSONValue(amounts: reclaimed), "parties": parties.wire,
    ]
  }
}

extension PostedEntry: WireValue {
  package init(wire: WireObject) throws(LedgerError) {
    self.init(
      currency: try wire.currency("currency"),
      kind: try wire.word("kind") { name in EntryKind.allCases.first { $0.name == name } },
      amount: try wire.integer("amount"), balance: try wire.integer("balance"), debt: try wire.integer("debt"),
      version: try wire.integer("version"), allocations: CompactList(try wire.values("lots")))
  }

  package var wire: JSONValue {
    [
      "currency": .string(currency.description), "kind": .string(kind.name), "amount": .integer(amount),
      "balance": .integer(balance), "debt": .integer(debt), "version": .integer(version), "lots": allocations.wire,
    ]
  }
}

extension Allocation: WireValue {
  package init(wire: WireObject) throws(LedgerError) {
    self.init(
      lot: try wire.integer("lot"), source: try wire.word("source") { LotSource(name: $0) },
      amount: try wire.integer("amount"))
  }

  package var wire: JSONValue {
    ["lot": .integer(lot), "source": .string(source.name), "amount": .integer(amount)]
  }
}

extension PostedItem: WireValue {
  package init(wire: WireObject) throws(LedgerError) {
    self.init(
      item: try wire.identifier("item_id"), quantity: try wire.integer("quantity"), owned: try wire.integer("owned"))
  }

  package var wire: JSONValue {
    ["item_id": .string(item.text), "quantity": .integer(quantity), "owned": .integer(owned)]
  }
}

extension HoldBooking: WireValue {
  package init(wire: WireObject) throws(LedgerError) {
    self.init(
      id: try wire.optionalTransactionID("hold_id").map { HoldID($0) }, amounts: try wire.amounts("amounts"),
      expiresAt: try wire.optionalInstant("expires_at"), balances: try wire.amounts("balances"),
      available: try wire.amounts("available"))
  }

  package var wire: JSONValue {
    [
      "hold_id": JSONValue(id?.description), "amounts": JSONValue(amounts: amounts),
      "expires_at": JSONValue(expiresAt), "balances": JSONValue(amounts: balances),
      "available": JSONValue(amounts: available),
    ]
  }
}

extension BookingParty: WireValue {
  package init(wire: WireObject) throws(LedgerError) {
    self.init(
      customer: try wire.identifier("customer_id"), transactionID: try wire.optionalTransactionID("transaction_id"),
      entries: CompactList(try wire.values("entries")), items: try wire.values("items"))
  }

  package var wire: JSONValue {
    [
      "customer_id": .string(customer.text), "transaction_id": JSONValue(transactionID?.description),
      "entries": entries.wire, "items": items.wire,
    ]
  }
}
