/// A transaction that changed the clawed-back share of a purchase; part of the journal.
package struct RefundRow: Hashable, Sendable {
  package var transaction: TransactionNumber
  package var purchase: Int64
  /// The kind of the notice that caused it.
  package var kind: EvidenceRow.Kind
  package var revokedAt: Timestamp
  package var signedAt: Timestamp
  /// The refunded extent in the notice; nil if there was no notice of the store.
  package var extent: StoreRefund.Extent?
  /// The date of the newest notice about the purchase at that time.
  package var evidenceAt: Timestamp
  /// The clawed-back share of the purchase after the transaction.
  package var share: RefundShare
  /// 1 if it froze the customer, -1 if it took a freeze back.
  package var freezes: Int64

  package init(
    transaction: TransactionNumber, purchase: Int64, kind: EvidenceRow.Kind, revokedAt: Timestamp,
    signedAt: Timestamp, extent: StoreRefund.Extent? = nil, evidenceAt: Timestamp? = nil, share: RefundShare,
    freezes: Int64
  ) {
    self.transaction = transaction
    self.purchase = purchase
    self.kind = kind
    self.revokedAt = revokedAt
    self.signedAt = signedAt
    self.extent = extent
    self.evidenceAt = evidenceAt ?? signedAt
    self.share = share
    self.freezes = freezes
  }

  /// The notice that it was booked for; nil if the row has none.
  func notice(about identity: PurchaseIdentity) -> EvidenceRow? {
    guard let extent else { return nil }
    return EvidenceRow(
      identity: identity, kind: kind, revokedAt: revokedAt, signedAt: signedAt, extent: extent)
  }

  /// The purchase's state, if this is its newest refund.
  package var state: RefundStateRow {
    RefundStateRow(purchase: purchase, share: share, evidenceAt: evidenceAt, transaction: transaction)
  }
}

extension RefundRow: ExportedRow {
  package static let table: StaticString = "refunds"
  package static let hasPlacedMembers = true
  package static var blank: Self {
    let never = Timestamp(milliseconds: 0)
    return Self(
      transaction: 0, purchase: 0, kind: .refund, revokedAt: never, signedAt: never, share: .none, freezes: 0)
  }

  package mutating func visit<Members: MemberVisitor>(_ columns: inout Members) {
    columns.transaction("transaction_number", &transaction, .derived)
    columns.number("purchase", &purchase, .exported(place: .first))
    columns.kind("kind", &kind, else: .refund, .exported(place: .first))
    columns.date("revoked_at", &revokedAt, .exported(place: .first))
    columns.date("signed_at", &signedAt, .exported(place: .first))
    columns.share("share", "share_of", &share, .exported(place: .last))
    columns.amount("freezes", &freezes, .exported(unless: .zero, within: .value, place: .last))
    // Stored only if it differs from the date of the notice itself.
    var evidence = evidenceAt == signedAt ? nil : evidenceAt
    columns.date("evidence_at", optional: &evidence, .exported)
    evidenceAt = evidence ?? signedAt
    columns.extent("extent_kind", "extent", optional: &extent, .exported(place: .first))
  }
}

// MARK: Indexes

extension RefundRow {
  package static var indexes: [RowIndex<Self>] { [byTransaction, ofPurchase] }

  /// The owner is the transaction's customer; the purchase's customer may be merged into it.
  package static let byTransaction = RowIndex<Self>(
    "refundByTransaction", key: ["transaction_number"], isOwned: true,
    inMemory: .one { $0.purchases.refund(bookedBy: $1.first) })
  /// Oldest first.
  ///
  /// The owner is the credited customer; it must also find rows without an owner.
  package static let ofPurchase = RowIndex<Self>(
    "refundsOfPurchase", key: ["purchase"], order: ["transaction_number"], isOwned: true,
    inMemory: .many { $0.purchases.refunds(of: $1.first) })
}

extension StoreRefund.Extent {
  /// The extent as two numbers, for a storage.
  package var stored: (kind: Int64, amount: Int64) {
    switch self {
    case .full: (1, 0)
    case .milliPercent(let share): (2, share)
    // All units refunded until then, not the units of one refund.
    case .totalQuantity(let units): (3, units)
    case .quantity(let units): (4, units)
    }
  }

  package init(kind: Int64, amount: Int64) {
    switch kind {
    case 2: self = .milliPercent(amount)
    case 3: self = .totalQuantity(amount)
    case 4: self = .quantity(amount)
    default: self = .full
    }
  }
}

extension ColdChanges {
  /// Each refund, together with its part if it has a single part, and the parts of the other refunds.
  package func partsOfRefunds() -> (rows: [RefundWithPart], others: [RefundPartRow]) {
    var (rows, others): ([RefundWithPart], [RefundPartRow]) = ([], [])
    rows.reserveCapacity(refunds.count)
    // Both lists are in the order of transactions.
    var rest = refundParts[...]
    for refund in refunds {
      let lost = rest.prefix { $0.transaction < refund.transaction }
      others += lost
      rest = rest.dropFirst(lost.count)
      let own = rest.prefix { $0.transaction == refund.transaction }
      rest = rest.dropFirst(own.count)
      rows.append(RefundWithPart(refund: refund, part: own.count == 1 ? own.first : nil))
      if own.count > 1 { others += own }
    }
    return (rows, others + rest)
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
    columns.number("lot", optional: &lot, .derived)
    columns.integer("part_kind", .kind, optional: &kind, .derived)
    columns.number("source_lot", optional: &source, .derived)
    columns.integer("amount", .amount, optional: &amount, .derived)
    part = lot.map { lot in
      RefundPartRow(
        transaction: refund.transaction, position: 1, lot: lot,
        kind: kind.flatMap(RefundPartRow.Kind.init) ?? .short, source: source ?? 0, amount: amount ?? 0)
    }
  }
}

// MARK: Digest

extension RowDigest {
  package static func of(_ row: RefundRow) -> UInt64 {
    var digest = RowDigest(.refund)
    digest.add(row.purchase)
    digest.add(row.kind.rawValue)
    digest.add(row.revokedAt)
    digest.add(row.signedAt)
    let extent = row.extent?.stored
    digest.add(extent?.kind)
    digest.add(extent?.amount)
    digest.add(row.evidenceAt)
    digest.add(row.share.part)
    digest.add(row.share.whole)
    digest.add(row.freezes)
    return digest.value
  }
}
