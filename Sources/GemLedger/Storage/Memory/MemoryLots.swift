/// The lots of a ledger that lives in memory, and the open lots of each account.
struct MemoryLots {
  private var rows = PagedTable<LotRow>()
  private(set) var count: Int64 = 0
  private var ofAccounts: [AccountNumber: AccountLots] = [:]

  subscript(number: LotNumber) -> LotRow? { rows[number] }

  /// - Parameter key: The account.
  func open(_ key: IndexKey, _ place: IndexPlace?, _ limit: Int, paid: Bool) -> [LotRow] {
    guard let own = ofAccounts[AccountNumber(rawValue: key.first)] else { return [] }
    let open = paid ? own.paid : own.free
    let start = place.map { open.firstIndex(after: LotPosition(expiresAt: $0.first, lot: $0.second)) } ?? 0
    return open.positions[start..<min(open.positions.count, start + limit)].compactMap { rows[$0.lot] }
  }

  /// - Parameter key: The account, the source and the environment.
  func pooled(_ key: IndexKey) -> LotRow? {
    (ofAccounts[AccountNumber(rawValue: key.first)]?.pooled ?? []).lazy.compactMap { rows[$0] }.first {
      $0.source.rawValue == key.second && $0.environment == key.third
    }
  }

  // MARK: Writing

  mutating func write(_ changes: borrowing ChangeSet) {
    if let lastLot = changes.lastLot { count = lastLot }
    for lot in changes.newLots {
      if lot.purchase == nil, lot.price == nil, lot.expiresAt == .max {
        ofAccounts[lot.account, default: .init()].pooled.append(lot.number)
      }
      set(lot)
    }
    for lot in changes.changedLots { set(lot) }
  }

  mutating func set(_ lot: LotRow) {
    if let old = rows[lot.number], old.account != lot.account { leave(old) }
    let wasOpen = (rows[lot.number]?.remaining ?? 0) > 0
    rows[lot.number] = lot
    guard wasOpen != (lot.remaining > 0) else { return }
    ofAccounts[lot.account, default: .init()].setOpen(lot, isOpen: !wasOpen)
  }

  /// Removes a lot from its account's lists, before it joins another account's.
  private mutating func leave(_ old: LotRow) {
    if old.remaining > 0 { ofAccounts[old.account]?.setOpen(old, isOpen: false) }
    rows[old.number]?.remaining = 0
  }
}
