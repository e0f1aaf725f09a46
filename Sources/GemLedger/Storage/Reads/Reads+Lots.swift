// MARK: Lots

extension StorageSnapshot {
  /// Returns lots of one account with a remaining amount, free or paid, in the order of burning.
  package func openLots(
    _ account: AccountNumber, paid: Bool, after: LotPosition?, limit: Int
  ) throws(LedgerError) -> [LotRow] {
    try page(
      paid ? LotRow.openPaid : LotRow.openFree, IndexKey(account.rawValue),
      after: after.map { IndexPlace($0.expiresAt, $0.lot) }, limit: limit)
  }

  /// - Parameter owner: The present customer; nil if unknown.
  package func lot(_ number: LotNumber, of owner: CustomerNumber? = nil) throws(LedgerError) -> LotRow? {
    try row(LotRow.byNumber, IndexKey(number, of: owner))
  }

  /// - Parameter owner: A past or present customer of the lot; nil if unknown.
  package func lotAttributes(
    _ number: LotNumber, of owner: CustomerNumber? = nil
  ) throws(LedgerError) -> LotAttributesRow? {
    try row(LotAttributesRow.byLot, IndexKey(number, of: owner))
  }

  package func lotAttributes(_ wanted: [RowAddress]) throws(LedgerError) -> [LotNumber: LotAttributesRow] {
    try rows(LotAttributesRow.byLot, wanted.keys, by: \.lot)
  }
}
