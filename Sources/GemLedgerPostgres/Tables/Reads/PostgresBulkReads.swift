#if PostgreSQL
internal import GemLedger

/// Reads of many rows at a time.
protocol PostgresBulkReads: PostgresReads {}

extension PostgresBulkReads {
  func journalCounts() throws(LedgerError) -> JournalCounts? {
    try first(
      "SELECT COALESCE(sum(transactions), 0)::bigint, COALESCE(sum(entries), 0)::bigint FROM lanes", { _ in },
      { JournalCounts(transactions: $0.integer($1, 0), entries: $0.integer($1, 1)) })
  }

  func customerNumber(after: CustomerNumber, skipping count: Int) throws(LedgerError) -> CustomerNumber? {
    try first(
      "SELECT customer FROM customers WHERE customer > $1 ORDER BY customer OFFSET $2 LIMIT 1",
      {
        $0.add(after)
        $0.add(Int64(count))
      }, { $0.integer($1, 0) })
  }

  // MARK: Customers

  func customers(_ wanted: [CustomerNumber]) throws(LedgerError) -> [CustomerNumber: CustomerRow] {
    if wanted.isEmpty { return [:] }
    let rows = try all(
      "SELECT \(CustomerRow.columns) FROM customers WHERE customer = ANY($1)", { $0.add(wanted, \.self) },
      CustomerRow.read)
    return Dictionary(rows.map { ($0.number, $0) }) { first, _ in first }
  }

  func customers(named wanted: [CustomerID]) throws(LedgerError) -> [CustomerID: FoundCustomer] {
    let names = try all(
      "SELECT id, customer FROM aliases WHERE id = ANY($1)", { $0.add(wanted, text: \.text) },
      { (CustomerID(unchecked: $0.text($1, 0)), $0.integer($1, 1)) })
    let named = try customers(names.map { $0.1 })
    let survivors = try customers(named.values.map(\.mergedInto).filter { $0 != 0 })
    var found: [CustomerID: FoundCustomer] = [:]
    for (id, number) in names {
      guard let row = named[number] else { continue }
      guard let survivor = row.mergedInto == 0 ? row : survivors[row.mergedInto] else {
        throw LedgerError(
          .storageDamaged,
          "\(storageName) has no customer \(row.mergedInto), whom another became part of. Run verify.")
      }
      found[id] = FoundCustomer(survivor, original: number)
    }
    return found
  }

  func addedIDs(of customers: [CustomerNumber]) throws(LedgerError) -> [CustomerNumber: [CustomerID]] {
    let rows = try all(
      "SELECT customer, id FROM added_ids WHERE customer = ANY($1) ORDER BY customer, id",
      { $0.add(customers, \.self) }, { ($0.integer($1, 0), CustomerID(unchecked: $0.text($1, 1))) })
    return Dictionary(grouping: rows) { $0.0 }.mapValues { $0.map { $0.1 } }
  }

  func accounts(of customers: [CustomerNumber]) throws(LedgerError) -> [AccountRow] {
    try all(
      "SELECT \(AccountRow.columns) FROM accounts WHERE customer = ANY($1)", { $0.add(customers, \.self) },
      AccountRow.read)
  }

  func lotAttributes(_ wanted: [RowAddress]) throws(LedgerError) -> [LotNumber: LotAttributesRow] {
    var rows = try rows(at: wanted, LotAttributesRow.columns, from: "lot_attributes", by: "lot", LotAttributesRow.read)
    let unknown = wanted.filter { $0.customer == nil }.map(\.number)
    if !unknown.isEmpty {
      rows += try all(
        "SELECT \(LotAttributesRow.columns) FROM lot_attributes WHERE lot = ANY($1)", { $0.add(unknown, \.self) },
        LotAttributesRow.read)
    }
    return Dictionary(rows.map { ($0.lot, $0) }) { first, _ in first }
  }

  func checkpoints(_ wanted: [CheckpointAddress]) throws(LedgerError) -> [CheckpointAddress: CheckpointRow] {
    // An account's number says both, and leaves one number to look for beside the customer.
    let rows = try rows(
      at: wanted.map { RowAddress($0.version << 10 | $0.account.currency, of: $0.account.customer) },
      CheckpointRow.columns, from: "checkpoints",
      by: RowsByNumber(
        isWanted: "currency = wanted & 1023 AND version = wanted >> 10",
        isAny: "(version << 10 | currency) = ANY($2)"), CheckpointRow.read)
    let addresses = Set(wanted)
    let found = rows.map { (CheckpointAddress($0.account, version: $0.version), $0) }.filter {
      addresses.contains($0.0)
    }
    return Dictionary(found) { first, _ in first }
  }

  // MARK: The journal

  func transactions(_ wanted: [RowAddress]) throws(LedgerError) -> [TransactionNumber: TransactionRow] {
    let known = try rows(at: wanted, TransactionRow.columns, from: "transactions", by: "number", TransactionRow.read)
    let others = try transactions(ofAnybody: wanted.filter { $0.customer == nil }.map(\.number))
    return Dictionary((known + others).map { ($0.number, $0) }) { first, _ in first }
  }

  func entries(_ wanted: [RowAddress]) throws(LedgerError) -> [EntryNumber: EntryRow] {
    let addresses = try owned(wanted, transaction: Numbering.transaction)
    let rows = try rows(at: addresses, EntryRow.columns, from: "entries", by: "number", EntryRow.read)
    return Dictionary(rows.map { ($0.number, $0) }) { first, _ in first }
  }

  func entries(of transactions: [RowAddress]) throws(LedgerError) -> [TransactionNumber: [EntryRow]] {
    let addresses = try owned(transactions) { $0 }
    let rows = try rows(
      at: addresses, EntryRow.columns, from: "entries",
      by: RowsByNumber(
        isWanted: "number >= wanted << 12 AND number < (wanted + 1) << 12", isAny: "number >> 12 = ANY($2)"),
      EntryRow.read)
    return Dictionary(grouping: rows.sorted { $0.number < $1.number }, by: \.transaction)
  }

  func allocations(of entries: [RowAddress]) throws(LedgerError) -> [EntryNumber: [AllocationRow]] {
    let addresses = try owned(entries, transaction: Numbering.transaction)
    let rows = try rows(at: addresses, AllocationRow.columns, from: "allocations", by: "entry", AllocationRow.read)
    return Dictionary(grouping: rows.sorted { $0.position < $1.position }, by: \.entry)
  }

  func transactionsWithoutEntries(_ wanted: [RowAddress]) throws(LedgerError) -> Set<TransactionNumber> {
    let addresses = wanted.filter { $0.customer != nil }
    return Set(
      try rows(
        at: addresses, "number", from: "transactions",
        by: RowsByNumber(
          isWanted: "number = wanted AND NOT has_entries", isAny: "number = ANY($2) AND NOT has_entries")
      ) { $0.integer($1, 0) })
  }

  // MARK: Purchases

  func purchases(_ wanted: [RowAddress]) throws(LedgerError) -> [Int64: PurchaseRow] {
    var found: [Int64: PurchaseRow] = [:]
    let owned = Set(wanted.filter { $0.customer != nil })
    for rows in owned.isEmpty ? [] : try ask(OwnedTable.purchases.requests(Array(owned), layout)) {
      for row in 0..<rows.count {
        let purchase = PurchaseRow.read(rows, row)
        found[purchase.number] = purchase
      }
    }
    // Those of unknown customers, and of customers that were merged since.
    let others = wanted.map(\.number).filter { found[$0] == nil }
    guard !others.isEmpty else { return found }
    let rows = try all(
      """
      SELECT \(PurchaseRow.columns) FROM \(PurchaseRow.tables)
      WHERE p.purchase = ANY($1) AND \(PurchaseRow.isNewestRefund)
      """,
      { $0.add(others, { $0 }) }, PurchaseRow.read)
    return found.merging(rows.map { ($0.number, $0) }) { first, _ in first }
  }

  func entitlementHolders(of purchases: [RowAddress]) throws(LedgerError) -> [Int64: CustomerNumber] {
    let rows = try all(
      "SELECT purchase, holder FROM entitlement_holders WHERE purchase = ANY($1)", { $0.add(purchases, \.number) },
      { ($0.integer($1, 0), $0.integer($1, 1)) })
    return Dictionary(rows) { first, _ in first }
  }

  func refundEvidence(
    of purchases: [PurchaseIdentity]
  ) throws(LedgerError) -> [PurchaseIdentity: [RefundEvidenceRow]] {
    let rows = try all(
      """
      SELECT \(RefundEvidenceRow.columns) FROM refund_evidence
      WHERE store_transaction = ANY($1) ORDER BY kind, revoked_at
      """, { $0.add(purchases, text: \.transactionID.text) },
      RefundEvidenceRow.read)
    let wanted = Set(purchases)
    return Dictionary(grouping: rows.filter { wanted.contains($0.identity) }, by: \.identity)
  }

  func refunds(of purchases: [RowAddress]) throws(LedgerError) -> [Int64: [RefundRow]] {
    var addresses = purchases.filter { $0.customer != nil }
    let unknown = purchases.filter { $0.customer == nil }
    if !unknown.isEmpty {
      addresses += try self.purchases(unknown).values.map { RowAddress($0.number, of: $0.customer) }
    }
    let rows = try rows(at: addresses, RefundRow.columns, from: "refunds", by: "purchase", RefundRow.read)
    return Dictionary(grouping: rows.sorted { $0.transaction < $1.transaction }, by: \.purchase)
  }

  func refundParts(of transactions: [RowAddress]) throws(LedgerError) -> [TransactionNumber: [RefundPartRow]] {
    var rows = try rows(
      at: transactions, RefundPartRow.columns, from: RefundPartRow.source, by: "transaction_number",
      RefundPartRow.read)
    let unknown = transactions.filter { $0.customer == nil }.map(\.number)
    if !unknown.isEmpty {
      rows += try all(
        "SELECT \(RefundPartRow.columns) FROM \(RefundPartRow.source) WHERE transaction_number = ANY($1)",
        { $0.add(unknown, \.self) }, RefundPartRow.read)
    }
    let wanted = Set(rows)
    return Dictionary(grouping: wanted.sorted { $0.position < $1.position }, by: \.transaction)
  }
}
#endif
