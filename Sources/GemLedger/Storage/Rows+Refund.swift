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

/// The outcome of one part of a refund's claw-back from one of the purchase's lots; part of the journal.
///
/// The taken, owed, short and expired parts add up to the amount due from the lot. In a reversal they are negative.
package struct RefundPartRow: Hashable, Sendable {
  package enum Kind: Int64, CaseIterable, Sendable {
    /// Taken from the lot `source`, which may be another lot than the purchase's.
    case taken = 1
    /// The customer owes it.
    case owed = 2
    /// It is lost: the currency's policy waives it.
    case short = 3
    /// Returned as currency by a reversal, since the owed amount had been repaid meanwhile.
    case repaid = 4
    /// It had expired unspent, so that nothing is taken for it.
    case expired = 5
  }

  package var transaction: TransactionNumber
  /// Its position among the parts of the transaction, from 1.
  package var position: Int64
  /// The purchase's lot from which it is due.
  package var lot: LotNumber
  package var kind: Kind
  /// The lot that it was taken from; 0 if nothing was taken.
  package var source: LotNumber
  package var amount: Int64

  package init(
    transaction: TransactionNumber, position: Int64, lot: LotNumber, kind: Kind, source: LotNumber, amount: Int64
  ) {
    self.transaction = transaction
    self.position = position
    self.lot = lot
    self.kind = kind
    self.source = source
    self.amount = amount
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

/// The clawed-back share of a purchase after its newest refund; purchases without a refund have no row.
package struct RefundStateRow: Hashable, Sendable {
  package var purchase: Int64
  package var share: RefundShare
  /// The date of the newest notice at that time.
  package var evidenceAt: Timestamp
  /// The newest refund.
  package var transaction: TransactionNumber

  package init(purchase: Int64, share: RefundShare, evidenceAt: Timestamp, transaction: TransactionNumber) {
    self.purchase = purchase
    self.share = share
    self.evidenceAt = evidenceAt
    self.transaction = transaction
  }
}
