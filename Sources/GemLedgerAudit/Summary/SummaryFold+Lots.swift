internal import GemLedger

// The rows of accounts and lots, as of the end of the journal.
extension SummaryFold {
  // MARK: Lots with a price

  /// Adds the change of value of the changed lots, whose earlier state follows from their rows and their changes.
  ///
  /// - Returns: False if a lot's earlier state is unknown, so that the accounts must be read again.
  mutating func addValues() throws(LedgerError) -> Bool {
    var changed: [(lot: LotNumber, changes: [LotChange])] = []
    for (lot, list) in changes { changed.append((lot, list.sorted { $0.entry < $1.entry })) }
    let keys = changed.map { lot, changes in
      IndexKey(lot, of: (changes.last { $0.amount > 0 } ?? changes.last)?.account.customer)
    }
    let rows = try snapshot.rows(LotRow.byNumber, keys, by: \.number)
    let held = try heldAmounts(of: rows.values.map(\.account))
    for (lot, changes) in changed {
      guard let row = rows[lot] else { throw Self.lacksLot(lot) }
      let remaining = row.remaining + (held[lot] ?? 0)
      let before = remaining - changes.reduce(0) { $0 + $1.amount }
      let granted = row.granted - changes.reduce(0) { $0 + ($1.isReturn ? 0 : max(0, $1.amount)) }
      var fold = LotFold(granted: granted, remaining: before)
      for change in changes { fold.add(change.amount, isReturn: change.isReturn) }
      guard before == 0 || fold.grantedInRow == row.granted else { return false }
      for account in Set(changes.map(\.account)) {
        let now = account == row.account ? remaining : 0
        let change = changes.reduce(0) { $1.account == account ? $0 + $1.amount : $0 }
        try add(valueOf: now, granted: row.granted, row, of: account)
        try add(-1, valueOf: now - change, granted: granted, row, of: account)
      }
    }
    return true
  }

  /// The held amounts of the accounts, by lot.
  private func heldAmounts(of accounts: [AccountNumber]) throws(LedgerError) -> [LotNumber: Int64] {
    guard !accounts.isEmpty else { return [:] }
    let wanted = Set(accounts)
    var held: [LotNumber: Int64] = [:]
    for account in try snapshot.accounts(of: accounts.map(\.customer).distinct()) where wanted.contains(account.number)
    {
      for lot in try AccountHold.open(of: account, in: snapshot).flatMap(\.lots) {
        try held[lot.lot, default: 0].add(lot.amount)
      }
    }
    return held
  }

  // MARK: Accounts

  /// Adds the state of an account.
  mutating func add(_ account: AccountRow) throws(LedgerError) {
    let number = account.number
    try add(account.debt, to: SummaryCounter(.debt), of: number)
    if account.poolRemaining != 0 {
      let source = LotSource(rawValue: account.poolSource) ?? .admin
      let pool = LotAttributesRow(
        lot: account.poolLot, source: source, environment: account.poolEnvironment, price: nil, purchase: nil,
        expiresAt: .max)
      try add(account.poolRemaining, to: pool, of: number)
    }
    var held: [LotNumber: Int64] = [:]
    for lot in try AccountHold.open(of: account, in: snapshot).flatMap(\.lots) {
      try held[lot.lot, default: 0].add(lot.amount)
    }
    for lot in try openLots(of: account) {
      try add(lot.remaining, to: LotAttributesRow(of: lot), of: number)
      // A priced lot has its value as a whole.
      try add(valueOf: lot.remaining + (held[lot.number] ?? 0), granted: lot.granted, lot, of: number)
      if let amount = held.removeValue(forKey: lot.number) {
        try addHeld(amount, of: LotAttributesRow(of: lot), number)
      }
    }
    let attributes = try attributes(held.keys.map { RowAddress($0, of: number.customer) })
    for (lot, amount) in held {
      guard let lot = attributes[lot] else { throw Self.lacksLot(lot) }
      try addHeld(amount, of: lot, number)
      guard lot.source == .paid, lot.price != nil else { continue }
      guard let row = try snapshot.lot(lot.lot, of: number.customer) else { throw Self.lacksLot(lot.lot) }
      try add(valueOf: amount, granted: row.granted, row, of: number)
    }
  }

  private mutating func addHeld(
    _ amount: Int64, of lot: LotAttributesRow, _ account: AccountNumber
  ) throws(LedgerError) {
    try add(amount, to: lot, of: account)
    try add(amount, to: SummaryCounter(.held, kind(of: lot.environment)), of: account)
  }

  private func openLots(of account: AccountRow) throws(LedgerError) -> [LotRow] {
    guard account.openLots > 0 else { return [] }
    var lots: [LotRow] = []
    for paid in [false, true] {
      var place: LotPosition?
      while true {
        let page = try snapshot.openLots(account.number, paid: paid, after: place, limit: 256)
        lots += page
        guard page.count == 256, let last = page.last else { break }
        let end = LotPosition(expiresAt: last.expiresAt, lot: last.number)
        if let place, end <= place { throw .leadsBack("lots") }
        place = end
      }
    }
    return lots
  }
}
