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
  package static let form = JSONForm<Booking>([
    .always("transaction_id", \.transactionID, .nullable(.transactionID)),
    .always("customer_id", \.customer, .identifier()), .always("kind", \.kind, .word(EntryKind.allCases, \.name)),
    .always("created_at", \.createdAt, .instant), .always("entries", \.entries, .list(.value)),
    .always("items", \.items, .list(.value)),
    .always("replayed", \.isReplayed, .boolean, "Whether this is the answer of an earlier call."),
    .always("over_maximum", \.isOverMaximum, .boolean, "Whether a paid credit passed the currency's maximum."),
    .always("awaiting_purchase", \.isAwaitingPurchase, .boolean),
    .always("completes_order", \.completesOrder, .boolean), .always("hold", \.hold, .nullable(.value)),
    .always("reversed_transaction_id", \.reversed, .nullable(.transactionID)),
    .always("expired", \.expired, .amounts), .always("reclaimed", \.reclaimed, .amounts),
    .always("parties", \.parties, .list(.value), "Other customers in the transaction."),
  ])
}

extension PostedEntry: WireValue {
  package init(wire: WireObject) throws(LedgerError) {
    self.init(
      currency: try wire["currency"].currency(),
      kind: try wire["kind"].word { name in EntryKind.allCases.first { $0.name == name } },
      amount: try wire["amount"].integer(), balance: try wire["balance"].integer(), debt: try wire["debt"].integer(),
      version: try wire["version"].integer(), allocations: CompactList(try wire["lots"].values()))
  }

  package static let form = JSONForm<PostedEntry>([
    .always("currency", \.currency, .currency),
    .always("kind", \.kind, .word(EntryKind.allCases, \.name), "The entry's kind."),
    .always("amount", \.amount, .integer(), "Negative for a spend."),
    .always("balance", \.balance, .integer(), "The balance after it, held amounts included."),
    .always("debt", \.debt, .integer(), "The customer's debt after it."),
    .always("version", \.version, .integer(), "The number of entries of the account, including this entry."),
    .always("lots", \.allocations, .list(.value), "The lots that it took from or added to."),
  ])
}

extension Allocation: WireValue {
  package init(wire: WireObject) throws(LedgerError) {
    self.init(
      lot: try wire["lot"].integer(), source: try wire["source"].word { LotSource(name: $0) },
      amount: try wire["amount"].integer())
  }

  package static let form = JSONForm<Allocation>([
    .always("lot", \.lot, .integer(), "The lot's number."),
    .always("source", \.source, .word(LotSource.allCases, \.name)),
    .always("amount", \.amount, .integer(), "Negative when taken from the lot."),
  ])
}

extension PostedItem: WireValue {
  package init(wire: WireObject) throws(LedgerError) {
    self.init(
      item: try wire["item_id"].identifier(), quantity: try wire["quantity"].integer(),
      owned: try wire["owned"].integer())
  }

  package static let form = JSONForm<PostedItem>([
    .always("item_id", \.item, .identifier()),
    .always("quantity", \.quantity, .integer(), "Negative for removed items."),
    .always("owned", \.owned, .integer(), "The number that the customer owns afterwards."),
  ])
}

extension HoldBooking: WireValue {
  package init(wire: WireObject) throws(LedgerError) {
    self.init(
      id: (try wire["hold_id"].optional?.transactionID()).map { HoldID($0) }, amounts: try wire["amounts"].amounts(),
      expiresAt: try wire["expires_at"].optional?.instant(), balances: try wire["balances"].amounts(),
      available: try wire["available"].amounts())
  }

  package static let form = JSONForm<HoldBooking>([
    .always("hold_id", { $0.id?.transactionID }, .nullable(.transactionID)),
    .always("amounts", \.amounts, .amounts, "The amounts still on hold."),
    .always("expires_at", \.expiresAt, .nullable(.instant)), .always("balances", \.balances, .amounts),
    .always("available", \.available, .amounts),
  ])
}

extension BookingParty: WireValue {
  package init(wire: WireObject) throws(LedgerError) {
    self.init(
      customer: try wire["customer_id"].identifier(),
      transactionID: try wire["transaction_id"].optional?.transactionID(),
      entries: CompactList(try wire["entries"].values()), items: try wire["items"].values())
  }

  package static let form = JSONForm<BookingParty>([
    .always("customer_id", \.customer, .identifier()),
    .always("transaction_id", \.transactionID, .nullable(.transactionID)),
    .always("entries", \.entries, .list(.value)), .always("items", \.items, .list(.value)),
  ])
}
