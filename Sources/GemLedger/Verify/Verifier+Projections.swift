extension Verifier {
  /// Compares the lots' rows with the replay, and adds them up by account.
  mutating func compareLots(_ replay: inout Replay) throws(LedgerError) {
    var last: LotNumber = 0
    while true {
      let page = try scan.lots(after: last, limit: Self.pageSize)
      guard let end = page.last?.number else { return }
      for row in page where replay.covers(row.account) {
        compare(row, &replay)
        try checkTerms(of: row)
      }
      last = end
    }
  }

  private mutating func compare(_ row: LotRow, _ replay: inout Replay) {
    let lot = replay.lots[row.number] ?? Replay.Lot(account: row.account)
    replay.lots[row.number]?.isSeen = true
    if Int128(row.remaining) != lot.remaining || row.granted != Int64(clamping: lot.granted)
      || row.account != lot.account
    {
      report(
        "lots_replay", currency: row.account.currency,
        "lot \(row.number) of \(name(of: row.account)) holds \(row.remaining) of \(row.granted); the replay gives "
          + "\(lot.remaining) of \(lot.granted)")
    }
    guard row.remaining != 0 else { return }
    add(row.remaining, to: row.account, expiresAt: row.expiresAt, &replay)
    var account = replay.accounts[row.account] ?? Replay.Account()
    account.openLots += 1
    account.firstExpiry = min(account.firstExpiry, row.expiresAt)
    replay.accounts[row.account] = account
  }

  private mutating func add(_ amount: Int64, to account: AccountNumber, expiresAt: Int64, _ replay: inout Replay) {
    replay.accounts[account, default: Replay.Account()].lots += Int128(amount)
    books[account.currency]?.lots += Int128(amount)
    if expiresAt <= asOf.milliseconds { books[account.currency]?.due += Int128(amount) }
  }

  /// Compares the accounts' rows with the replay and with their lots.
  mutating func compareAccounts(_ replay: inout Replay) throws(LedgerError) {
    var last = AccountNumber(customer: replay.customers.lowerBound, currency: 0)
    let end = AccountNumber(customer: replay.customers.upperBound, currency: 0)
    loop: while true {
      let page = try scan.accounts(after: last, limit: Self.pageSize)
      guard let next = page.last?.number else { break }
      for row in page {
        if row.number >= end { break loop }
        guard replay.covers(row.number) else { continue }
        compare(row, &replay)
        try checkTerms(ofPoolIn: row)
        try checkCustomer(of: row)
      }
      last = next
    }
    for (customer, root) in replay.roots where replay.customers.contains(root) {
      guard !replay.customers.contains(customer) else { continue }
      for row in try snapshot.accounts(of: customer) {
        compare(row, &replay)
        try checkTerms(ofPoolIn: row)
      }
    }
    for (number, account) in replay.accounts where !account.isSeen && account.version > 0 {
      report("accounts_replay", currency: number.currency, "\(name(of: number)) has entries and no account row")
    }
    for (number, lot) in replay.lots where !lot.isSeen {
      report("lots_replay", currency: lot.account.currency, "lot \(number) of \(name(of: lot.account)) has no row")
    }
  }

  private mutating func compare(_ row: AccountRow, _ replay: inout Replay) {
    comparePool(row, &replay)
    let account = replay.accounts[row.number] ?? Replay.Account()
    replay.accounts[row.number]?.isSeen = true
    let currency = row.number.currency
    books[currency]?.balances += Int128(row.balance)
    books[currency]?.debts += Int128(row.debt)
    books[currency]?.held += Int128(row.held)
    let agrees = row.balance == account.balance && row.debt == account.debt && row.version == account.version
    if !agrees || row.lastEntry != account.lastEntry || Int128(row.balance) - Int128(row.debt) != account.sum {
      report(
        "accounts_replay", currency: currency,
        "\(name(of: row.number)) is \(row.balance) with debt \(row.debt) at version \(row.version); its entries "
          + "come to "
          + "\(account.sum), and the newest records \(account.balance) with debt \(account.debt) at version "
          + "\(account.version)")
    }
    if account.lots != Int128(row.balance) {
      report(
        "lots_make_the_balance", currency: currency,
        "\(name(of: row.number)) is \(row.balance); its live lots come to \(account.lots)")
    }
    if row.openLots != account.openLots || row.nextExpiry > account.firstExpiry {
      report(
        "accounts_know_their_lots", currency: currency,
        "\(name(of: row.number)) counts \(row.openLots) open lots where \(account.openLots) are, or expects the next "
          + "expiry too late")
    }
    if row.held < 0 || row.held > row.balance {
      report("holds_are_covered", currency: currency, "\(name(of: row.number)) holds \(row.held) of \(row.balance)")
    }
  }

  private mutating func checkCustomer(of row: AccountRow) throws(LedgerError) {
    if try snapshot.customer(number: row.number.customer) == nil {
      report(
        "customers_are_known", currency: row.number.currency, "\(name(of: row.number)) is nobody's: no such customer")
    }
  }

  /// The account's first pooled lot lies in its own row.
  private mutating func comparePool(_ row: AccountRow, _ replay: inout Replay) {
    guard row.poolLot != 0 || row.poolRemaining != 0 else { return }
    let lot = replay.lots[row.poolLot] ?? Replay.Lot(account: row.number)
    replay.lots[row.poolLot]?.isSeen = true
    if Int128(row.poolRemaining) != lot.remaining || row.poolGranted != Int64(clamping: lot.granted) {
      report(
        "lots_replay", currency: row.number.currency,
        "lot \(row.poolLot) of \(name(of: row.number)) holds \(row.poolRemaining) of \(row.poolGranted); the "
          + "replay gives "
          + "\(lot.remaining) of \(lot.granted)")
    }
    add(row.poolRemaining, to: row.number, expiresAt: .max, &replay)
  }

  // MARK: Anchors

  /// Every 64th entry of an account has an anchor.
  mutating func checkAnchor(of entry: EntryRow) throws(LedgerError) {
    guard entry.version % AnchorRow.interval == 0 else { return }
    let anchor = try snapshot.anchor(entry.account, version: entry.version)
    if anchor?.entry != entry.number || anchor?.transaction != entry.transaction {
      report("anchors_replay", "\(name(of: entry.account)) has no anchor, or a wrong one, at version \(entry.version)")
    }
  }

  /// No anchor stands where no such entry is.
  mutating func checkAnchors() throws(LedgerError) {
    var last: AnchorRow?
    while true {
      let page = try scan.anchors(after: last, limit: Self.pageSize)
      if page.isEmpty { return }
      for anchor in page {
        let entry = try snapshot.entry(anchor.entry)
        let transaction = try snapshot.transaction(anchor.transaction)
        if entry?.account != anchor.account || entry?.version != anchor.version
          || transaction?.createdAt != anchor.createdAt
        {
          report(
            "anchors_replay",
            "the anchor of \(name(of: anchor.account)) at version \(anchor.version) names entry "
              + "\(anchor.entry), which is not that one")
        }
      }
      last = page.last
    }
  }
}
