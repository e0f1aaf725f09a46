extension StoreRefund.Extent {
  /// The extent as two numbers, for a storage.
  package var stored: (kind: Int64, amount: Int64) {
    switch self {
    case .full: (1, 0)
    case .milliPercent(let share): (2, share)
    // All units that were refunded so far, not those of one refund.
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

/// A transaction that changed how much of a purchase is clawed back; part of the journal.
package struct RefundRow: Hashable, Sendable {
  package var transaction: TransactionNumber
  package var purchase: Int64
  /// The notice that made it.
  package var kind: EvidenceRow.Kind
  package var revokedAt: Timestamp
  package var signedAt: Timestamp
  /// How much the notice says; nil if it was no notice of the store's.
  package var extent: StoreRefund.Extent?
  /// The date of the newest notice about the purchase by then.
  package var evidenceAt: Timestamp
  /// How much of the purchase is clawed back from here on.
  package var share: RefundShare
  /// 1 if it froze the customer, -1 if it took that back.
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

  /// The notice that it was booked for, if it is kept here.
  func notice(about identity: PurchaseIdentity) -> EvidenceRow? {
    guard let extent else { return nil }
    return EvidenceRow(
      identity: identity, kind: kind, revokedAt: revokedAt, signedAt: signedAt, extent: extent)
  }

  /// The state of the purchase, if this is its newest refund.
  package var state: RefundStateRow {
    RefundStateRow(purchase: purchase, share: share, evidenceAt: evidenceAt, transaction: transaction)
  }
}

/// The outcome of a part of a refund's claw-back from one of the purchase's lots; part of the journal.
///
/// The amounts of taken, owed, short and expired parts add up to the amount due from the lot. A reversal has them
/// negative.
package struct RefundPartRow: Hashable, Sendable {
  package enum Kind: Int64, CaseIterable, Sendable {
    /// Taken from the lot `source`, the purchase's or another one.
    case taken = 1
    /// The customer owes it.
    case owed = 2
    /// It is lost: the currency's policy lets it go.
    case short = 3
    /// By a reversal: it was owed, was repaid meanwhile, and returned as currency.
    case repaid = 4
    /// It had expired unspent: it is gone already, and nothing is taken for it.
    case expired = 5
  }

  package var transaction: TransactionNumber
  /// Its position among those of the transaction, from 1.
  package var position: Int64
  /// The purchase's lot that it was due of.
  package var lot: LotNumber
  package var kind: Kind
  /// Which lot it was taken from; 0 if nothing was taken.
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
  /// Each refund with its part if it has one alone, and the parts of those that have several.
  package func partsOfRefunds() -> (rows: [RefundWithPart], others: [RefundPartRow]) {
    var (rows, others): ([RefundWithPart], [RefundPartRow]) = ([], [])
    rows.reserveCapacity(refunds.count)
    // Both are in the order of transactions.
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

/// How much of a purchase is clawed back, by its newest refund; only purchases that a refund ever touched have one.
package struct RefundStateRow: Hashable, Sendable {
  package var purchase: Int64
  package var share: RefundShare
  /// The date of the newest notice by then.
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
