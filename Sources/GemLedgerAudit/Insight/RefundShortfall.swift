package import GemLedger

/// A refund that could not be taken back in full from its customer, or the reversal of one.
package struct RefundShortfall: Hashable, Sendable {
  /// The transaction that booked the refund.
  package let transaction: TransactionID
  /// The time of its booking.
  package let bookedAt: Timestamp
  /// The refunded purchase.
  package let purchase: Purchase
  /// The currency that was missing.
  package let currency: CurrencyCode
  /// The amount that was taken back; negative in a reversal.
  package let taken: Int64
  /// The amount that the customer owes since; negative in a reversal.
  package let owed: Int64
  /// The amount that is lost; negative in a reversal.
  package let lost: Int64
}

extension SalesReports {
  /// Returns the refunds of a period that could not be taken back in full, newest first.
  ///
  /// Amounts that had expired unspent are no shortfall. Time grows with the number of refunds in the journal, memory
  /// with the number of those with a shortfall.
  ///
  /// - Parameters:
  ///   - from: The start of the period.
  ///   - until: The end of the period, exclusive.
  ///   - limit: The maximum number of refunds, 1 to `Limits.historyPage`.
  /// - Throws: `LedgerError` with `limit_exceeded`, or `storage_damaged` if rows are missing.
  package func shortfalls(
    from: Timestamp, until: Timestamp, limit: Int = 100
  ) throws(LedgerError) -> [RefundShortfall] {
    try Limits.check(page: limit)
    return try ledger.reading { (snapshot, definitions) throws(LedgerError) -> [RefundShortfall] in
      var reader = ShortfallReader(snapshot: snapshot, definitions: definitions)
      return try reader.newest(limit) { from <= $0 && $0 < until }
    }
  }
}

/// Reads the parts of refunds.
private struct ShortfallReader {
  private struct Amounts {
    var taken: Int64 = 0
    var owed: Int64 = 0
    var lost: Int64 = 0

    mutating func add(_ part: RefundPartRow) throws(LedgerError) {
      switch part.kind {
      case .taken, .repaid: try taken.add(part.amount)
      case .owed: try owed.add(part.amount)
      case .short: try lost.add(part.amount)
      case .expired: break
      }
    }

    mutating func add(_ other: Self) throws(LedgerError) {
      try taken.add(other.taken)
      try owed.add(other.owed)
      try lost.add(other.lost)
    }
  }

  private let snapshot: any StorageSnapshot
  private let definitions: CurrencyDefinitions
  private var reader: PurchaseReader

  init(snapshot: any StorageSnapshot, definitions: CurrencyDefinitions) {
    (self.snapshot, self.definitions) = (snapshot, definitions)
    reader = PurchaseReader(snapshot: snapshot, definitions: definitions)
  }

  mutating func newest(
    _ limit: Int, where isInPeriod: (Timestamp) -> Bool
  ) throws(LedgerError) -> [RefundShortfall] {
    let amounts = try amountsByLot()
    let transactions = try snapshot.transactions(amounts.keys.map { RowAddress($0, of: nil) })
    let chosen = transactions.values.filter { isInPeriod($0.createdAt) }
      .sorted { ($1.createdAt, $1.number) < ($0.createdAt, $0.number) }.prefix(limit)
    let refunds = try snapshot.rows(
      RefundRow.byTransaction, chosen.map { IndexKey($0.number, of: $0.customer) }, by: \.transaction)
    let purchases = try snapshot.purchases(refunds.values.map { RowAddress($0.purchase, of: nil) })
    var found: [RefundShortfall] = []
    for transaction in chosen {
      guard let refund = refunds[transaction.number], let purchase = purchases[refund.purchase] else {
        throw .lacksTransaction(transaction.number)
      }
      for (currency, sum) in try byCurrency(amounts[transaction.number] ?? [:]) {
        found.append(
          RefundShortfall(
            transaction: definitions.transactionIDs.id(number: transaction.number, createdAt: transaction.createdAt),
            bookedAt: transaction.createdAt, purchase: try reader.purchase(purchase), currency: currency,
            taken: sum.taken, owed: sum.owed, lost: sum.lost))
      }
    }
    return found
  }

  /// The amounts of each refund with a shortfall, by lot.
  private func amountsByLot() throws(LedgerError) -> [TransactionNumber: [LotNumber: Amounts]] {
    var amounts: [TransactionNumber: [LotNumber: Amounts]] = [:]
    // The parts of one refund follow each other, maybe on two pages.
    var current: (transaction: TransactionNumber, lots: [LotNumber: Amounts]) = (0, [:])
    func close() {
      if current.lots.values.contains(where: { $0.owed != 0 || $0.lost != 0 }) {
        amounts[current.transaction] = current.lots
      }
    }
    try snapshot.scan().pages { (page: [RefundPartRow]) throws(LedgerError) in
      for part in page {
        if part.transaction != current.transaction {
          close()
          current = (part.transaction, [:])
        }
        try current.lots[part.lot, default: Amounts()].add(part)
      }
    }
    close()
    return amounts
  }

  private func byCurrency(
    _ lots: [LotNumber: Amounts]
  ) throws(LedgerError) -> [(currency: CurrencyCode, sum: Amounts)] {
    let rows = try snapshot.rows(LotRow.byNumber, lots.keys.map { IndexKey($0, of: nil) }, by: \.number)
    var sums: [CurrencyCode: Amounts] = [:]
    for (lot, amounts) in lots {
      guard let row = rows[lot], let currency = definitions.currency(number: row.account.currency)?.code else {
        throw LedgerError(.storageDamaged, "The journal lacks lot \(lot), which a refund names; run verify.")
      }
      try sums[currency, default: Amounts()].add(amounts)
    }
    return sums.filter { $0.value.owed != 0 || $0.value.lost != 0 }.map { ($0.key, $0.value) }
      .sorted { $0.currency < $1.currency }
  }
}
