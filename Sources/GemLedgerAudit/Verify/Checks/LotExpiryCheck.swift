internal import GemLedger

extension EntryKind {
  /// Whether it takes from lots in burning order.
  var burns: Bool { self == .spend || self == .transfer || self == .exchange }
}

/// Checks that lots were past their expiry when they expired, and before it when they were spent.
struct LotExpiryCheck {
  private let context: VerifyContext
  private let replay: AccountReplay

  init(_ context: VerifyContext, _ replay: AccountReplay) {
    self.context = context
    self.replay = replay
  }

  func check(_ page: [LotRow]) throws(LedgerError) {
    var ends: [(lot: LotRow, transaction: TransactionNumber, isExpiry: Bool)] = []
    for row in page {
      guard let lot = replay.lots[row.number] else { continue }
      // An allowance expires with its period, which the catalog may have changed since.
      let mayEndEarly = row.source == .promotional && row.purchase == nil
      if lot.firstExpiry != 0, !mayEndEarly { ends.append((row, lot.firstExpiry, true)) }
      if lot.lastSpend != 0, row.expiresAt != .max { ends.append((row, lot.lastSpend, false)) }
    }
    guard !ends.isEmpty else { return }
    // The former owner may have been merged into the present owner.
    let transactions = try context.snapshot.transactions(
      ends.map { end in
        let customer = end.lot.account.customer
        return RowAddress(end.transaction, of: replay.scope.merges.isInvolved(customer) ? nil : customer)
      })
    for (row, number, isExpiry) in ends {
      guard let transaction = transactions[number] else { continue }
      let isOver = row.expiresAt <= transaction.createdAt.milliseconds
      // Held amounts remain until the hold ends.
      guard isOver != isExpiry, transaction.kind != .capture else { continue }
      context.report(
        "lots_expire_in_time", currency: row.account.currency,
        isExpiry
          ? "transaction \(number) books an expiry of lot \(row.number) before its time"
          : "transaction \(number) spends from lot \(row.number) after its expiry")
    }
  }

  /// Checks that an account's pool never expires.
  func checkPool(of row: AccountRow) {
    guard row.poolLot != 0, let number = replay.lots[row.poolLot]?.firstExpiry, number != 0 else { return }
    context.report(
      "lots_expire_in_time", currency: row.number.currency,
      "transaction \(number) books an expiry of lot \(row.poolLot) of \(context.name(of: row.number)), which "
        + "never expires")
  }
}
