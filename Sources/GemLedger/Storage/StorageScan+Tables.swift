/// Scans of one table each, from a number or a row on.
extension StorageScan {
  private func page<Row: StoredRow, Number>(
    _ number: WritableKeyPath<Row, Number>, after: Number, limit: Int
  ) throws(LedgerError) -> [Row] {
    var row = Row.blank
    row[keyPath: number] = after
    return try page(after: row, limit: limit)
  }

  // MARK: The journal

  package func transactions(after: TransactionNumber, limit: Int) throws(LedgerError) -> [TransactionRow] {
    try page(\.number, after: after, limit: limit)
  }

  package func entries(after: EntryNumber, limit: Int) throws(LedgerError) -> [EntryRow] {
    try page(\.number, after: after, limit: limit)
  }

  package func lotAttributes(after: LotNumber, limit: Int) throws(LedgerError) -> [LotAttributesRow] {
    try page(\.lot, after: after, limit: limit)
  }

  package func merges(after: TransactionNumber, limit: Int) throws(LedgerError) -> [MergeRow] {
    try page(\.transaction, after: after, limit: limit)
  }

  package func purchases(after: Int64, limit: Int) throws(LedgerError) -> [PurchaseRow] {
    try page(\.number, after: after, limit: limit)
  }

  package func refunds(after: TransactionNumber, limit: Int) throws(LedgerError) -> [RefundRow] {
    try page(\.transaction, after: after, limit: limit)
  }

  package func notes(after: TransactionNumber, limit: Int) throws(LedgerError) -> [NoteRow] {
    try page(\.transaction, after: after, limit: limit)
  }

  // MARK: Projections

  package func accounts(after: AccountNumber, limit: Int) throws(LedgerError) -> [AccountRow] {
    try page(\.number, after: after, limit: limit)
  }

  package func lots(after: LotNumber, limit: Int) throws(LedgerError) -> [LotRow] {
    try page(\.number, after: after, limit: limit)
  }

  /// The state that the newest refund of each purchase recorded, in the order of purchases.
  package func refundStates(after: Int64, limit: Int) throws(LedgerError) -> [RefundStateRow] {
    try page(\.purchase, after: after, limit: limit)
  }

  package func holds(after: TransactionNumber, limit: Int) throws(LedgerError) -> [HoldRow] {
    try page(\.number, after: after, limit: limit)
  }

  package func orders(after: OrderNumber, limit: Int) throws(LedgerError) -> [OrderRow] {
    try page(\.number, after: after, limit: limit)
  }

  // MARK: Documents, the catalog and copies

  package func documents(after name: DocumentName?, limit: Int) throws(LedgerError) -> [DocumentRow] {
    try page(after: name.map { DocumentRow(name: $0, version: 0, content: "") }, limit: limit)
  }

  /// All versions in one page: a catalog rarely changes.
  package func catalogVersions() throws(LedgerError) -> [CatalogVersionRow] {
    try page(after: nil as CatalogVersionRow?, limit: 1 << 30)
  }

  /// The progress of an incomplete copy; nil for any other storage.
  package func copyProgress() throws(LedgerError) -> CopyProgress? {
    try page(after: nil as CopyProgress?, limit: 1).first
  }
}
