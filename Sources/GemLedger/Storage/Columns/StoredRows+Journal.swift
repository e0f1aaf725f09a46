extension JournalEventRow: StoredRow {
  package static let table: StaticString = "journal_events"
  package static var blank: Self {
    Self(transaction: 0, position: 0, customer: 0, kind: .late, createdAt: Timestamp(milliseconds: 0))
  }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.transaction("transaction_number", &transaction)
    columns.number("position", &position)
    columns.number("customer", &customer)
    columns.kind("kind", &kind, else: .late)
    columns.transaction("target", &target)
    columns.currency("currency", &currency)
    columns.number("lot", &lot)
    columns.amount("amount", &amount)
    columns.value("value", &value)
    var (countKind, subject) = (count?.kind.rawValue, count?.subject)
    columns.integer("counter_kind", .any, optional: &countKind)
    columns.text("subject", optional: &subject)
    count = countKind.flatMap(CountKey.Kind.init).map { CountKey($0, subject ?? "") }
    columns.value("period", &period)
    columns.instant("created_at", &createdAt)
    columns.amount("held_after", &heldAfter)
  }
}

extension AllocationRow: StoredRow {
  package static let table: StaticString = "allocations"
  package static var blank: Self { Self(entry: 0, position: 0, lot: 0, amount: 0) }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.entry("entry", &entry)
    columns.number("position", &position)
    columns.number("lot", &lot)
    columns.amount("amount", &amount)
  }
}

extension ItemEntryRow: StoredRow {
  package static let table: StaticString = "item_entries"
  package static var blank: Self {
    Self(transaction: 0, customer: 0, item: ItemID(unchecked: ""), quantity: 0, owned: 0)
  }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.transaction("transaction_number", &transaction)
    columns.identifier("item", &item)
    columns.number("customer", &customer)
    columns.amount("quantity", &quantity)
    columns.amount("owned", &owned)
  }
}

extension MergeRow: StoredRow {
  package static let table: StaticString = "merges"
  package static var blank: Self { Self(transaction: 0, from: 0, into: 0) }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.transaction("transaction_number", &transaction)
    columns.number("from_customer", &from)
    columns.number("into_customer", &into)
  }
}

extension NoteRow: StoredRow {
  package static let table: StaticString = "notes"
  package static var blank: Self { Self(transaction: 0, reference: nil, reason: nil, actor: nil) }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.transaction("transaction_number", &transaction)
    columns.identifier("reference", optional: &reference)
    columns.identifier("reason", optional: &reason)
    columns.identifier("actor", optional: &actor)
  }
}

extension LotAttributesRow: StoredRow {
  package static let table: StaticString = "lot_attributes"
  package static var blank: Self {
    Self(lot: 0, source: .admin, environment: 0, price: nil, purchase: nil, expiresAt: .max)
  }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.number("lot", &lot)
    columns.kind("source", &source, else: .admin)
    columns.number("environment", &environment)
    columns.money("price", "price_currency", &price)
    columns.number("purchase", optional: &purchase)
    columns.expiry("expires_at", &expiresAt)
    columns.number("original_lot", &originalLot)
  }
}
