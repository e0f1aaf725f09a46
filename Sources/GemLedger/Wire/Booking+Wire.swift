extension Booking: WireValue {
  package init(wire: WireObject) throws(LedgerError) {
    self.init(
      try wire["kind"].word { name in EntryKind.allCases.first { $0.name == name } },
      transactionID: try wire["transaction_id"].optional?.transactionID(),
      customer: try wire["customer_id"].identifier(),
      createdAt: try wire["created_at"].instant(), entries: try wire["entries"].values(),
      items: try wire["items"].values(), isReplayed: try wire["replayed"].flag())
    isOverMaximum = try wire["over_maximum"].flag()
    isAwaitingPurchase = try wire["awaiting_purchase"].flag()
    completesOrder = try wire["completes_order"].flag()
    extras = BookingExtras(
      hold: try wire["hold"].optional?.read(), reversed: try wire["reversed_transaction_id"].optional?.transactionID(),
      expired: try wire["expired"].amounts(), reclaimed: try wire["reclaimed"].amounts(),
      parties: try wire["parties"].values())
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
      currency: try wire["currency"].currency(),
      kind: try wire["kind"].word { name in EntryKind.allCases.first { $0.name == name } },
      amount: try wire["amount"].integer(), balance: try wire["balance"].integer(), debt: try wire["debt"].integer(),
      version: try wire["version"].integer(), allocations: CompactList(try wire["lots"].values()))
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
      lot: try wire["lot"].integer(), source: try wire["source"].word { LotSource(name: $0) },
      amount: try wire["amount"].integer())
  }

  package var wire: JSONValue {
    ["lot": .integer(lot), "source": .string(source.name), "amount": .integer(amount)]
  }
}

extension PostedItem: WireValue {
  package init(wire: WireObject) throws(LedgerError) {
    self.init(
      item: try wire["item_id"].identifier(), quantity: try wire["quantity"].integer(),
      owned: try wire["owned"].integer())
  }

  package var wire: JSONValue {
    ["item_id": .string(item.text), "quantity": .integer(quantity), "owned": .integer(owned)]
  }
}

extension HoldBooking: WireValue {
  package init(wire: WireObject) throws(LedgerError) {
    self.init(
      id: (try wire["hold_id"].optional?.transactionID()).map { HoldID($0) }, amounts: try wire["amounts"].amounts(),
      expiresAt: try wire["expires_at"].optional?.instant(), balances: try wire["balances"].amounts(),
      available: try wire["available"].amounts())
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
      customer: try wire["customer_id"].identifier(),
      transactionID: try wire["transaction_id"].optional?.transactionID(),
      entries: CompactList(try wire["entries"].values()), items: try wire["items"].values())
  }

  package var wire: JSONValue {
    [
      "customer_id": .string(customer.text), "transaction_id": JSONValue(transactionID?.description),
      "entries": entries.wire, "items": items.wire,
    ]
  }
}
