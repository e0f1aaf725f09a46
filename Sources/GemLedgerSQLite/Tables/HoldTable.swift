internal import GemLedger

/// Open holds.
struct HoldTable {
  let statements: StatementRunner
  let lists: CustomerListTable

  func holds(of keys: [IndexKey]) throws(LedgerError) -> [HoldRow] {
    var found: [HoldRow] = []
    for key in keys {
      found += try statements.all(
        """
        SELECT h.* FROM customer_lists t CROSS JOIN open_holds h ON h.hold = t.number
        WHERE t.customer = ?1 AND t.list = 3
        UNION ALL
        SELECT h.* FROM customer_lists_buffer t CROSS JOIN open_holds h ON h.hold = t.number
        WHERE t.customer = ?1 AND t.list = 3
        ORDER BY deadline, hold
        """, { $0.bind(1, key.first) }, ColumnReader.row)
    }
    return found
  }

  /// - Parameter begun: The numbers of the holds that this commit creates.
  func write(_ changes: ColdChanges, begun: [TransactionNumber: CustomerNumber]) throws(LedgerError) {
    try list(changes.holds, new: begun)
    try statements.replace(changes.holds)
    for hold in changes.endedHolds {
      // A group that merged customers may end a hold that is still listed under its former owner.
      let owner = try statements.first(
        "DELETE FROM open_holds WHERE hold = ?1 RETURNING customer", { $0.bind(1, hold.number) }, { $0.integer(0) })
      if let owner { try lists.unlist(hold.number, of: owner) }
    }
  }

  /// Lists holds under their customers, before they are written.
  ///
  /// - Parameter new: The numbers of the holds that this commit creates.
  private func list(_ holds: [HoldRow], new: [TransactionNumber: CustomerNumber]) throws(LedgerError) {
    var moved: [HoldRow] = []
    for hold in holds where new[hold.number] == nil {
      let known: HoldRow? = try statements.row("WHERE hold = ?1") { $0.bind(1, hold.number) }
      guard known?.customer != hold.customer else { continue }
      if let known { try lists.unlist(known.number, of: known.customer) }
      moved.append(hold)
    }
    try lists.add(holds: holds.filter { new[$0.number] != nil } + moved)
  }
}
