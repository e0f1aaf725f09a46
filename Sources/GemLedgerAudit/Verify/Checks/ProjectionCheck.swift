internal import GemLedger

/// Compares the rows of lots and accounts with the replay of one window.
struct ProjectionCheck {
  private let context: VerifyContext
  private let replay: AccountReplay
  /// For each account with holds, the earliest end of a hold.
  private let firstDeadlines: [AccountNumber: Int64]
  private let expiries: LotExpiryCheck

  init(_ context: VerifyContext, _ replay: AccountReplay, firstDeadlines: [AccountNumber: Int64]) {
    self.context = context
    self.replay = replay
    self.firstDeadlines = firstDeadlines
    expiries = LotExpiryCheck(context, replay)
  }

  /// Compares the lots' rows with the replay, and adds them up by account.
  func compareLots(
    _ tallies: inout CurrencyTallies, _ attributes: inout LotAttributesCheck
  ) throws(LedgerError) {
    try context.pages(after: .blank) { (page: [LotRow]) throws(LedgerError) in
      let covered = page.filter { replay.scope.covers($0.account) }
      for row in covered { compare(row, &tallies) }
      try attributes.check(covered)
      try expiries.check(covered)
    }
  }

  private func compare(_ row: LotRow, _ tallies: inout CurrencyTallies) {
    let lot = replay.lots.update(row.number, default: AccountReplay.Lot(account: row.account)) { lot in
      lot.isSeen = true
      return lot
    }
    let free = lot.fold.remaining - replay.held.ofLot(row.number)
    if Int128(row.remaining) != free || row.granted != lot.fold.grantedInRow
      || row.account != lot.account
    {
      context.report(
        "lots_replay", currency: row.account.currency,
        "lot \(row.number) of \(context.name(of: row.account)) holds \(row.remaining) of \(row.granted); the replay "
          + "gives \(free) of \(lot.fold.granted)")
    }
    guard row.remaining != 0 else { return }
    tallies.add(row.remaining, currency: row.account.currency, expiresAt: row.expiresAt)
    replay.accounts.update(row.account.rawValue, default: AccountReplay.Account()) { account in
      account.lots += Int128(row.remaining)
      account.openLots += 1
      account.firstExpiry = min(account.firstExpiry, row.expiresAt)
    }
  }

  /// Compares the accounts' rows with the replay and with their lots.
  func compareAccounts(
    _ tallies: inout CurrencyTallies, _ attributes: inout LotAttributesCheck
  ) throws(LedgerError) {
    var last = AccountNumber(customer: replay.scope.customers.lowerBound, currency: 0)
    let end = replay.scope.customers.upperBound
    while true {
      let page = try context.scan.accounts(after: last, limit: ScanPage.size)
      let rows = page.prefix { $0.number.customer < end }
      try compare(rows.filter { replay.scope.covers($0.number) }, &tallies, &attributes)
      guard let next = page.last?.number, rows.count == page.count else { break }
      last = next
    }
    for customers in ScanPage.pages(replay.scope.mergedFromOutside) {
      try compare(try context.snapshot.accounts(of: customers), &tallies, &attributes)
    }
    for number in replay.accounts.numbers(where: { !$0.isSeen && $0.fold.version > 0 }) {
      let number = AccountNumber(rawValue: number)
      context.report(
        "accounts_replay", currency: number.currency, "\(context.name(of: number)) has entries but no account row")
    }
    for number in replay.lots.numbers(where: { !$0.isSeen }) {
      guard let lot = replay.lots[number] else { continue }
      context.report(
        "lots_replay", currency: lot.account.currency, "lot \(number) of \(context.name(of: lot.account)) has no row")
    }
  }

  private func compare(
    _ rows: [AccountRow], _ tallies: inout CurrencyTallies, _ attributes: inout LotAttributesCheck
  ) throws(LedgerError) {
    for row in rows { compare(row, &tallies) }
    try attributes.checkPools(of: rows)
    let customers = try context.snapshot.customers(rows.map(\.number.customer).distinct())
    for row in rows where customers[row.number.customer] == nil {
      context.report(
        "customers_are_known", currency: row.number.currency,
        "\(context.name(of: row.number)) belongs to a missing customer")
    }
  }

  private func compare(_ row: AccountRow, _ tallies: inout CurrencyTallies) {
    comparePool(row, &tallies)
    let account = replay.accounts.update(row.number.rawValue, default: AccountReplay.Account()) { account in
      account.isSeen = true
      account.lots += Int128(row.poolRemaining)
      return account
    }
    let currency = row.number.currency
    tallies.add(row)
    let fold = account.fold
    let agrees = row.balance == fold.balance && row.debt == fold.debt && row.version == fold.version
    if !agrees || row.lastEntry != fold.lastEntry || Int128(row.balance) - Int128(row.debt) != account.sum {
      context.report(
        "accounts_replay", currency: currency,
        "\(context.name(of: row.number)) is \(row.balance) with debt \(row.debt) at version \(row.version); its "
          + "entries add up to \(account.sum), and the newest records \(fold.balance) with debt \(fold.debt) at "
          + "version \(fold.version)")
    }
    if account.lots + Int128(row.held) != Int128(row.balance) {
      context.report(
        "lots_make_the_balance", currency: currency,
        "\(context.name(of: row.number)) is \(row.balance); its live lots add up to \(account.lots), and \(row.held) "
          + "are held")
    }
    if row.openLots != account.openLots || row.nextExpiry > account.firstExpiry {
      context.report(
        "accounts_know_their_lots", currency: currency,
        "\(context.name(of: row.number)) counts \(row.openLots) open lots instead of \(account.openLots), or has too "
          + "late a time for the next expiry")
    }
    checkHeld(row)
    checkMoved(row)
  }

  /// Checks that a merged customer has no balance left.
  private func checkMoved(_ row: AccountRow) {
    guard let survivor = replay.scope.merges.survivors[row.number.customer],
      row.balance != 0 || row.debt != 0 || row.held != 0
    else { return }
    context.report(
      "merges_leave_nothing", currency: row.number.currency,
      "\(context.name(of: row.number)) is \(row.balance) with debt \(row.debt), and is part of customer number "
        + "\(survivor)'s")
  }

  private func checkHeld(_ row: AccountRow) {
    let currency = row.number.currency
    if row.held < 0 || row.held > row.balance {
      context.report(
        "holds_are_covered", currency: currency, "\(context.name(of: row.number)) holds \(row.held) of \(row.balance)")
    }
    let held = replay.held.ofAccount(row.number)
    if Int128(row.held) != held {
      context.report(
        "holds_replay", currency: currency,
        "\(context.name(of: row.number)) holds \(row.held); the replay gives \(held)")
    }
    if held != 0, row.nextDue > firstDeadlines[row.number] ?? .max {
      context.report(
        "accounts_know_their_holds", currency: currency,
        "a hold of \(context.name(of: row.number)) ends before the account's next due time")
    }
  }

  /// Compares the account's first pooled lot, which is stored in the account's row.
  private func comparePool(_ row: AccountRow, _ tallies: inout CurrencyTallies) {
    guard row.poolLot != 0 || row.poolRemaining != 0 else { return }
    let lot = replay.lots.update(row.poolLot, default: AccountReplay.Lot(account: row.number)) { lot in
      lot.isSeen = true
      return lot
    }
    let free = lot.fold.remaining - replay.held.ofLot(row.poolLot)
    if Int128(row.poolRemaining) != free || row.poolGranted != lot.fold.grantedInRow {
      context.report(
        "lots_replay", currency: row.number.currency,
        "lot \(row.poolLot) of \(context.name(of: row.number)) holds \(row.poolRemaining) of \(row.poolGranted); the "
          + "replay gives "
          + "\(free) of \(lot.fold.granted)")
    }
    expiries.checkPool(of: row)
    tallies.add(row.poolRemaining, currency: row.number.currency, expiresAt: .max)
  }
}
