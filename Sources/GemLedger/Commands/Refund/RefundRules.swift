/// The combined meaning of the store's refund notices; pure.
package enum RefundRules {
  /// Whether a statement adds anything to the known statements except an earlier date.
  static func isNew(_ notice: EvidenceRow, among known: [EvidenceRow]) -> Bool {
    var row = joined(notice, with: known)
    guard let same = known.first(where: { $0.isAboutTheSame(as: row) }) else { return true }
    row.firstSignedAt = same.firstSignedAt
    return row != same
  }

  /// Returns the known statements with the new statement; the order of arrival does not matter.
  static func adding(_ notice: EvidenceRow, to known: [EvidenceRow]) -> [EvidenceRow] {
    let row = joined(notice, with: known)
    return known.filter { !$0.isAboutTheSame(as: row) } + [row]
  }

  /// Returns the row of the statement, joined with its known row.
  static func joined(_ notice: EvidenceRow, with known: [EvidenceRow]) -> EvidenceRow {
    let bounded = bounded(notice, among: known)
    return known.first { $0.isAboutTheSame(as: bounded) }?.joined(with: bounded) ?? bounded
  }

  /// Limits the statements of a purchase: after ``Limits/statementsPerPurchase``, only dates distinguish them.
  ///
  /// A refund that states a total then replaces the newest refund with a total. Refunds by units are at most the number
  /// of units.
  private static func bounded(_ notice: EvidenceRow, among known: [EvidenceRow]) -> EvidenceRow {
    guard notice.kind != .held, known.count >= Limits.statementsPerPurchase,
      !known.contains(where: { $0.isAboutTheSame(as: notice) })
    else { return notice }
    var notice = notice
    notice.variant = 0
    if notice.kind == .refund, notice.extent.isTotal {
      let totals = known.filter { $0.kind == .refund && $0.extent.isTotal }
      let newest = totals.max { ($0.signedAt, $0.revokedAt) < ($1.signedAt, $1.revokedAt) }
      if let newest { notice.revokedAt = newest.revokedAt }
    }
    return notice
  }

  /// Returns all evidence about a purchase: the notices of its booked refunds, and the other kept notices.
  package static func known(
    _ kept: [EvidenceRow], and refunds: [RefundRow], about identity: PurchaseIdentity
  ) -> [EvidenceRow] {
    refunds.compactMap { $0.notice(about: identity) }.reduce(kept) { known, notice in
      isNew(notice, among: known) ? adding(notice, to: known) : known
    }
  }

  /// Returns the share of the purchase that the store's notices refund, in any order of arrival.
  ///
  /// Of refunds in full or by percent, the newest counts: it states the total up to its date. Units of single refunds
  /// are added up. A refund counts until evidence of the same date or later reverses it. Google Play never reverses a
  /// refund, and its subscription states show no refunds.
  package static func share(of evidence: [EvidenceRow], quantity: Int64) -> RefundShare {
    // Google Play refunds a purchase in full once: later statements of it are no news to the operator that decided.
    let fullAtGoogle = evidence.lazy.filter {
      $0.kind == .refund && $0.extent == .full && $0.identity.store == .google
    }.map(\.firstSignedAt).min()
    let standing = evidence.filter { refund in
      refund.kind == .refund
        && !evidence.contains { other in
          switch other.kind {
          case .refund, .reclaim, .pending, .cancelled, .bookedBefore, .held: false
          case .reversal: other.revokedAt == refund.revokedAt && other.signedAt >= refund.signedAt
          case .reversalOfAll: other.signedAt >= refund.signedAt
          case .decided: other.signedAt >= (refund.extent == .full ? fullAtGoogle : nil) ?? refund.signedAt
          case .purchased: refund.identity.store != .google && other.signedAt > refund.signedAt
          }
        }
    }
    return standing.reduce(wholeShare(of: standing)) { share, refund in
      max(share, units(with: refund, among: standing, of: quantity))
    }
  }

  /// Whether the whole purchase is refunded, for any number of units.
  static func isWhole(_ evidence: [EvidenceRow]) -> Bool { share(of: evidence, quantity: .max).isAll }

  /// Returns the newest refund's share of the whole purchase; of two refunds with equal dates, the larger share.
  private static func wholeShare(of standing: [EvidenceRow]) -> RefundShare {
    standing.lazy.filter { !$0.extent.countsUnits }.map { ($0.signedAt, RefundShare($0.extent, quantity: 1)) }
      .max { $0 < $1 }?.1 ?? .none
  }

  /// Returns the share refunded by units.
  ///
  /// The units are the sum of all single refunds, or a total up to its date plus the single refunds after it.
  private static func units(
    with refund: EvidenceRow, among standing: [EvidenceRow], of quantity: Int64
  ) -> RefundShare {
    guard refund.extent.countsUnits else { return .none }
    var (start, units): (Int64?, Int64) = (nil, 0)
    if case .totalQuantity(let soFar) = refund.extent {
      (start, units) = (refund.revokedAt.milliseconds, min(soFar, quantity))
    }
    for other in standing {
      guard case .quantity(let more) = other.extent, start.map({ other.revokedAt.milliseconds > $0 }) ?? true else {
        continue
      }
      // Both are at most the quantity, so that their sum is far from 64 bits.
      units = min(quantity, units + min(more, quantity))
    }
    return RefundShare(units, of: quantity)
  }

  /// Returns the date of the newest statement about the refunded share.
  package static func newest(_ evidence: [EvidenceRow]) -> Timestamp {
    evidence.filter(\.kind.isAboutRefunds).map(\.signedAt).max() ?? Timestamp(milliseconds: 0)
  }

  /// Splits the amount to claw back in a currency over the purchase's lots, in proportion to their grants.
  ///
  /// All but the first round down, and the first takes the rest. A purchase makes at most two lots of a currency; with
  /// two, no lot's part shrinks when the amount grows.
  static func split(_ due: Int64, over granted: [Int64]) -> [Int64] {
    let whole = granted.reduce(Int128(0)) { $0 + Int128($1) }
    guard whole > 0 else { return granted.map { _ in 0 } }
    var parts = granted.map { Int64(Int128(due) * Int128($0) / whole) }
    parts[0] += due - parts.reduce(0, +)
    return parts
  }

  /// - Throws: `amount_out_of_range`.
  static func check(_ extent: StoreRefund.Extent) throws(LedgerError) {
    switch extent {
    case .full: return
    case .milliPercent(let share):
      guard (1...100_000).contains(share) else {
        throw LedgerError(
          .amountOutOfRange, "A refund of \(share) thousandths of a percent is out of range: 1 to 100000.",
          details: [.integer("amount", share), .integer("limit", 100_000)])
      }
    case .quantity(let units), .totalQuantity(let units): try RequestRules.check(quantity: units, of: "refunded units")
    }
  }
}
