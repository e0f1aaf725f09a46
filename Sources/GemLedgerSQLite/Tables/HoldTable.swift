internal import GemLedger

/// Open holds.
struct HoldTable {
  let statements: StatementRunner
  let lists: CustomerListTable

  func hold(_ number: TransactionNumber) throws(LedgerError) -> HoldRow? {
    try statements.first("SELECT * FROM open_holds WHERE hold = ?1", { $0.bind(1, number) }, Self.hold)
  }

  func holds(of customer: CustomerNumber) throws(LedgerError) -> [HoldRow] {
    try statements.all(
      """
      SELECT h.* FROM customer_lists t CROSS JOIN open_holds h ON h.hold = t.number
      WHERE t.customer = ?1 AND t.list = 3
      UNION ALL
      SELECT h.* FROM customer_lists_buffer t CROSS JOIN open_holds h ON h.hold = t.number
      WHERE t.customer = ?1 AND t.list = 3
      ORDER BY deadline, hold
      """, { $0.bind(1, customer) }, Self.hold)
  }

  func holds(after: TransactionNumber, limit: Int) throws(LedgerError) -> [HoldRow] {
    try statements.page(
      "SELECT * FROM open_holds WHERE hold > ?1 ORDER BY hold LIMIT ?2", after: after, limit,
      Self.hold)
  }

  /// - Parameter begun: The numbers of the holds that begin now.
  func write(_ changes: ColdChanges, begun: [TransactionNumber: CustomerNumber]) throws(LedgerError) {
    try list(changes.holds, new: begun)
    try statements.run(
      """
      INSERT INTO open_holds VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      ON CONFLICT (hold) DO UPDATE SET customer = excluded.customer, deadline = excluded.deadline,
        begun_at = excluded.begun_at, currency = excluded.currency, lot = excluded.lot, amount = excluded.amount
      """, changes.holds
    ) {
      $0.bind(1, $1.number)
      $0.bind(2, $1.customer)
      $0.bind(3, $1.deadline.milliseconds)
      $0.bind(4, $1.begunAt?.milliseconds)
      $0.bind(5, $1.sole?.currency)
      $0.bind(6, $1.sole?.lot)
      $0.bind(7, $1.sole?.amount)
    }
    for hold in changes.endedHolds {
      // A group that merged customers may end a hold that is still listed with its former owner.
      let owner = try statements.first(
        "DELETE FROM open_holds WHERE hold = ?1 RETURNING customer", { $0.bind(1, hold.number) }, { $0.integer(0) })
      if let owner { try lists.unlist(hold.number, of: owner) }
    }
  }

  /// Lists holds under their customers, before they are written.
  ///
  /// - Parameter new: Has the numbers of those that begin now.
  private func list(_ holds: [HoldRow], new: [TransactionNumber: CustomerNumber]) throws(LedgerError) {
    var moved: [HoldRow] = []
    for hold in holds where new[hold.number] == nil {
      let known = try self.hold(hold.number)
      guard known?.customer != hold.customer else { continue }
      if let known { try lists.unlist(known.number, of: known.customer) }
      moved.append(hold)
    }
    try lists.add(holds: holds.filter { new[$0.number] != nil } + moved)
  }

  private static func hold(_ row: SQLiteStatement) throws(SQLiteFailure) -> HoldRow {
    var hold = HoldRow(
      number: try row.transaction(0), customer: try row.number(1), deadline: try row.instant(2),
      begunAt: try row.optionalInstant(3))
    if try row.optionalNumber(4) != nil {
      hold.sole = LotAmount(currency: try row.currency(4), lot: try row.number(5), amount: try row.amount(6))
    }
    return hold
  }
}
