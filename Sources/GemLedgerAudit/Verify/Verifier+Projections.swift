internal import GemLedger

extension Verifier {
  /// Compares the lots' rows with the replay, and adds them up by account.
  mutating func compareLots(_ replay: inout Replay) throws(LedgerError) {
    var last: LotNumber = 0
    while true {
      let page = try scan.lots(after: last, limit: ScanPage.size)
      guard let end = page.last?.number else { return }
      let covered = page.filter { replay.covers($0.account) }
      for row in covered { compare(row, &replay) }
      try checkLotAttributes(of: covered)
      try checkEnds(of: covered, replay)
      last = end
    }
  }

  private mutating func compare(_ row: LotRow, _ replay: inout Replay) {
    let lot = replay.lots[row.number] ?? Replay.Lot(account: row.account)
    replay.lots[row.number]?.isSeen = true
    let free = lot.remaining - (replay.events.heldOfLots[row.number] ?? 0)
    if Int128(row.remaining) != free || row.granted != Int64(clamping: lot.granted)
      || row.account != lot.account
    {
      report(
        "lots_replay", currency: row.account.currency,
        "lot \(row.number) of \(name(of: row.account)) holds \(row.remaining) of \(row.granted); the replay gives "
          + "\(free) of \(lot.granted)")
    }
    guard row.remaining != 0 else { return }
    add(row.remaining, to: row.account, expiresAt: row.expiresAt, &replay)
    var account = replay.accounts[row.account] ?? Replay.Account()
    account.openLots += 1
    account.firstExpiry = min(account.firstExpiry, row.expiresAt)
    replay.accounts[row.account] = account
  }

  private mutating func add(_ amount: Int64, to account: AccountNumber, expiresAt: Int64, _ replay: inout Replay) {
    var found = replay.accounts[account] ?? Replay.Account()
    found.lots += Int128(amount)
    replay.accounts[account] = found
    books[account.currency]?.lots += Int128(amount)
    if expiresAt <= asOf.milliseconds { books[account.currency]?.due += Int128(amount) }
  }

  /// Compares the accounts' rows with the replay and with their lots.
  mutating func compareAccounts(_ replay: inout Replay) throws(LedgerError) {
    replay.firstDeadlines = firstDeadlines(replay)
    var last = AccountNumber(customer: replay.customers.lowerBound, currency: 0)
    let end = replay.customers.upperBound
    while true {
      let page = try scan.accounts(after: last, limit: ScanPage.size)
      let rows = page.prefix { $0.number.customer < end }
      try compare(rows.filter { replay.covers($0.number) }, &replay)
      guard let next = page.last?.number, rows.count == page.count else { break }
      last = next
    }
    // No other window covers the customers that were merged into this window's customers.
    let merged = replay.survivingCustomers.filter {
      replay.customers.contains($0.value) && !replay.customers.contains($0.key)
    }
    for customers in ScanPage.pages(merged.keys.sorted()) {
      try compare(try snapshot.accounts(of: customers), &replay)
    }
    for (number, account) in replay.accounts where !account.isSeen && account.version > 0 {
      let number = AccountNumber(rawValue: number)
      report("accounts_replay", currency: number.currency, "\(name(of: number)) has entries and no account row")
    }
    for (number, lot) in replay.lots where !lot.isSeen {
      report("lots_replay", currency: lot.account.currency, "lot \(number) of \(name(of: lot.account)) has no row")
    }
  }

  private mutating func compare(_ rows: [AccountRow], _ replay: inout Replay) throws(LedgerError) {
    for row in rows { compare(row, &replay) }
    try checkLotAttributes(ofPoolsIn: rows)
    let customers = try snapshot.customers(Self.distinct(rows.map(\.number.customer)))
    for row in rows where customers[row.number.customer] == nil {
      report(
        "customers_are_known", currency: row.number.currency, "\(name(of: row.number)) is nobody's: no such customer")
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
    if account.lots + Int128(row.held) != Int128(row.balance) {
      report(
        "lots_make_the_balance", currency: currency,
        "\(name(of: row.number)) is \(row.balance); its live lots come to \(account.lots), and \(row.held) are on hold")
    }
    if row.openLots != account.openLots || row.nextExpiry > account.firstExpiry {
      report(
        "accounts_know_their_lots", currency: currency,
        "\(name(of: row.number)) counts \(row.openLots) open lots where \(account.openLots) are, or expects the next "
          + "expiry too late")
    }
    checkHeld(row, replay)
    checkMoved(row, replay)
  }

  private mutating func checkHeld(_ row: AccountRow, _ replay: Replay) {
    let currency = row.number.currency
    if row.held < 0 || row.held > row.balance {
      report("holds_are_covered", currency: currency, "\(name(of: row.number)) holds \(row.held) of \(row.balance)")
    }
    let held = replay.events.held[row.number] ?? 0
    if Int128(row.held) != held {
      report(
        "holds_replay", currency: currency, "\(name(of: row.number)) holds \(row.held); the replay gives \(held)")
    }
    if held != 0, row.nextDue > replay.firstDeadlines[row.number] ?? .max {
      report(
        "accounts_know_their_holds", currency: currency,
        "a hold of \(name(of: row.number)) ends before the account expects anything to be due")
    }
  }

  /// The account's first pooled lot lies in its own row.
  private mutating func comparePool(_ row: AccountRow, _ replay: inout Replay) {
    guard row.poolLot != 0 || row.poolRemaining != 0 else { return }
    let lot = replay.lots[row.poolLot] ?? Replay.Lot(account: row.number)
    let free = lot.remaining - (replay.events.heldOfLots[row.poolLot] ?? 0)
    replay.lots[row.poolLot]?.isSeen = true
    if Int128(row.poolRemaining) != free || row.poolGranted != Int64(clamping: lot.granted) {
      report(
        "lots_replay", currency: row.number.currency,
        "lot \(row.poolLot) of \(name(of: row.number)) holds \(row.poolRemaining) of \(row.poolGranted); the "
          + "replay gives "
          + "\(free) of \(lot.granted)")
    }
    checkEnd(ofPoolOf: row, replay)
    add(row.poolRemaining, to: row.number, expiresAt: .max, &replay)
  }

  // MARK: Anchors

  /// Every 64th entry of an account has an anchor.
  mutating func expectCheckpoint(of entry: EntryRow) throws(LedgerError) {
    guard entry.version % CheckpointRow.interval == 0 else { return }
    entriesWithCheckpoints.append(entry)
    if entriesWithCheckpoints.count >= ScanPage.size { try checkExpectedCheckpoints() }
  }

  mutating func checkExpectedCheckpoints() throws(LedgerError) {
    guard !entriesWithCheckpoints.isEmpty else { return }
    let checkpoints = try snapshot.checkpoints(
      entriesWithCheckpoints.map { CheckpointAddress($0.account, version: $0.version) })
    for entry in entriesWithCheckpoints {
      let checkpoint = checkpoints[CheckpointAddress(entry.account, version: entry.version)]
      guard checkpoint?.entry != entry.number || checkpoint?.transaction != entry.transaction else { continue }
      report("anchors_replay", "\(name(of: entry.account)) has no anchor, or a wrong one, at version \(entry.version)")
    }
    entriesWithCheckpoints.removeAll(keepingCapacity: true)
  }

  /// No anchor stands where no such entry is.
  mutating func checkCheckpoints() throws(LedgerError) {
    var last: CheckpointRow?
    while true {
      let page = try scan.checkpoints(after: last, limit: ScanPage.size)
      if page.isEmpty { return }
      let entries = try snapshot.entries(page.map { RowAddress($0.entry, of: $0.account.customer) })
      // A merge's entries belong to several customers, the merge itself to the surviving customer.
      let transactions = try snapshot.transactions(
        page.map { RowAddress($0.transaction, of: survivors[$0.transaction] ?? $0.account.customer) })
      for checkpoint in page {
        let entry = entries[checkpoint.entry]
        if entry?.account != checkpoint.account || entry?.version != checkpoint.version
          || transactions[checkpoint.transaction]?.createdAt != checkpoint.createdAt
        {
          report(
            "anchors_replay",
            "the anchor of \(name(of: checkpoint.account)) at version \(checkpoint.version) names entry "
              + "\(checkpoint.entry), which is not that one")
        }
      }
      last = page.last
    }
  }
}
