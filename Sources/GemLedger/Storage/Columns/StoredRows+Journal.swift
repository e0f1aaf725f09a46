extension TransactionRow: StoredRow {
  package static let table: StaticString = "transactions"
  package static var blank: Self {
    Self(number: 0, kind: .mixed, customer: 0, createdAt: Timestamp(milliseconds: 0), firstEntry: 0)
  }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.transaction("number", &number)
    columns.kind("kind", &kind, else: .mixed)
    columns.number("customer", &customer)
    columns.instant("created_at", &createdAt)
    columns.entry("first_entry", &firstEntry)
    columns.integer("digest", .any, &digest)
    var part = erasable == 0 ? nil : erasable
    columns.integer("erasable_digest", .any, optional: &part)
    erasable = part ?? 0
  }
}

extension EntryRow: StoredRow {
  package static let table: StaticString = "entries"
  package static let checks = ["amount <> 0", "balance >= 0", "debt >= 0"]
  package static var blank: Self {
    Self(
      number: 0, transaction: 0, account: AccountNumber(rawValue: 0), kind: .mixed, amount: 0, balance: 0, debt: 0,
      version: 0, previous: 0, lot: 0)
  }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.entry("number", &number)
    columns.transaction("transaction_number", &transaction)
    columns.account(&account)
    columns.kind("kind", &kind, else: .mixed)
    columns.amount("amount", &amount)
    columns.amount("balance", &balance)
    columns.amount("debt", &debt)
    columns.number("version", &version)
    columns.entry("previous", &previous)
    columns.number("lot", &lot)
  }
}

extension JournalEventRow: StoredRow {
  package static let table: StaticString = "journal_events"
  package static let keyColumnCount = 2
  package static let checks = ["amount >= 0", "held_after >= 0"]
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
    columns.counter(&count)
    columns.value("period", &period)
    columns.instant("created_at", &createdAt)
    columns.amount("held_after", &heldAfter)
  }
}

extension AllocationRow: StoredRow {
  package static let table: StaticString = "allocations"
  package static let keyColumnCount = 2
  package static let checks = ["amount <> 0"]
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
  package static let keyColumnCount = 3
  package static let checks = ["quantity <> 0", "owned >= 0"]
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

/// A key with the outcome of its request: the transaction or the refusal.
extension KeyRow: StoredRow {
  package static let table: StaticString = "keys"
  package static let keyColumnCount = 2
  package static var blank: Self {
    Self(
      customer: 0, key: IdempotencyKey(unchecked: ""), fingerprint: Fingerprint(asked: 0, qualifiers: 0), booked: 0)
  }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.number("customer", &customer)
    columns.identifier("key", &key)
    var (asked, qualifiers) = (fingerprint.asked, fingerprint.qualifiers)
    columns.integer("request_digest", .any, &asked)
    columns.integer("qualifier_digest", .any, &qualifiers)
    fingerprint = Fingerprint(asked: asked, qualifiers: qualifiers)
    var (transaction, refusal) = (bookedTransaction, keptRefusal?.stored)
    columns.integer("transaction_number", .transaction, optional: &transaction)
    columns.text("refusal", optional: &refusal)
    outcome = Outcome(transaction: transaction, refusal: refusal)
  }
}

extension KeyRow.Outcome {
  /// Makes the outcome from two columns, of which one is null.
  ///
  /// A key with neither is a problem to report, not an error: no transaction has number 0.
  package init(transaction: TransactionNumber?, refusal: String?) {
    let kept = refusal.flatMap(KeptRefusal.init(stored:)).map(Self.refused)
    self = transaction.map(Self.booked) ?? kept ?? .booked(0)
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

extension RefundRow: StoredRow {
  package static let table: StaticString = "refunds"
  package static var blank: Self {
    let never = Timestamp(milliseconds: 0)
    return Self(
      transaction: 0, purchase: 0, kind: .refund, revokedAt: never, signedAt: never, share: .none, freezes: 0)
  }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.transaction("transaction_number", &transaction)
    columns.number("purchase", &purchase)
    columns.kind("kind", &kind, else: .refund)
    columns.date("revoked_at", &revokedAt)
    columns.date("signed_at", &signedAt)
    columns.share("share", "share_of", &share)
    columns.amount("freezes", &freezes)
    // Stored only if it differs from the date of the notice itself.
    var evidence = evidenceAt == signedAt ? nil : evidenceAt.milliseconds
    columns.integer("evidence_at", .any, optional: &evidence)
    evidenceAt = evidence.map(Timestamp.init(milliseconds:)) ?? signedAt
    columns.extent("extent_kind", "extent", optional: &extent)
  }
}

extension RefundPartRow: StoredRow {
  package static let table: StaticString = "refund_parts"
  package static let keyColumnCount = 2
  package static let checks = ["amount <> 0"]
  package static var blank: Self { Self(transaction: 0, position: 0, lot: 0, kind: .short, source: 0, amount: 0) }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.transaction("transaction_number", &transaction)
    columns.number("position", &position)
    columns.number("lot", &lot)
    columns.kind("kind", &kind, else: .short)
    columns.number("source_lot", &source)
    columns.amount("amount", &amount)
  }
}

/// A refund, together with its part if it has a single part: storages keep both in one row.
package struct RefundWithPart: StoredRow {
  package static let table = RefundRow.table
  package static var blank: Self { Self(refund: .blank, part: nil) }

  package var refund: RefundRow
  package var part: RefundPartRow?

  package init(refund: RefundRow, part: RefundPartRow?) {
    self.refund = refund
    self.part = part
  }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    refund.visit(&columns)
    var (lot, kind, source, amount) = (part?.lot, part?.kind.rawValue, part?.source, part?.amount)
    columns.number("lot", optional: &lot)
    columns.integer("part_kind", .kind, optional: &kind)
    columns.number("source_lot", optional: &source)
    columns.integer("amount", .amount, optional: &amount)
    part = lot.map { lot in
      RefundPartRow(
        transaction: refund.transaction, position: 1, lot: lot,
        kind: kind.flatMap(RefundPartRow.Kind.init) ?? .short, source: source ?? 0, amount: amount ?? 0)
    }
  }
}

/// The newest refund of each purchase.
extension RefundStateRow: StoredRow {
  package static let table: StaticString = "refund_states"
  package static var blank: Self {
    Self(purchase: 0, share: .none, evidenceAt: Timestamp(milliseconds: 0), transaction: 0)
  }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.number("purchase", &purchase)
    columns.share("share", "share_of", &share)
    columns.date("evidence_at", &evidenceAt)
    columns.transaction("transaction_number", &transaction)
  }
}

/// Includes the frozen product's document and the state after the newest refund, which storages keep separately.
extension PurchaseRow: StoredRow {
  package static let table: StaticString = "purchases"
  package static let checks = ["quantity > 0"]
  package static var blank: Self {
    Self(
      number: 0,
      identity: PurchaseIdentity(store: .test, environment: 0, transactionID: StoreTransactionID(unchecked: "")),
      customer: 0, transaction: 0, product: ProductCode(unchecked: ""), quantity: 0, price: nil,
      purchasedAt: Timestamp(milliseconds: 0), frozenProduct: "")
  }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.number("purchase", &number)
    columns.store("store", &identity.store)
    columns.number("environment", &identity.environment)
    columns.identifier("store_transaction", &identity.transactionID)
    columns.number("customer", &customer)
    columns.transaction("transaction_number", &transaction)
    columns.identifier("product", &product)
    columns.amount("quantity", &quantity)
    columns.money("price", "price_currency", &price)
    columns.date("purchased_at", &purchasedAt)
    columns.text("document", &frozenProduct)
    columns.identifier("original_transaction", optional: &originalTransactionID)
    columns.date("expires_at", optional: &expiresAt)
    columns.refundState(of: number, &refund)
    columns.lotAmount("grant_currency", "grant_lot", "grant_amount", &grant)
  }
}

extension PurchaseRow {
  /// Columns of joined tables: the frozen product `f` and the newest refund `r` of the purchase `p`.
  package static let joinedColumns = [
    "document": "f.document", "share": "r.share", "share_of": "r.share_of",
    "evidence_at": "coalesce(r.evidence_at, r.signed_at)", "refund": "r.transaction_number",
  ]

  /// All columns, of `p`, `f` and `r`.
  package static func selection(splitsAccounts: Bool) -> String {
    ColumnNames(of: self, splitsAccounts: splitsAccounts).names
      .map { "\(joinedColumns[$0] ?? "p.\($0)") AS \($0)" }.joined(separator: ", ")
  }
}
