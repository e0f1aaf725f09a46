/// The purchases of a ledger that lives in memory, with their refunds.
struct MemoryPurchases {
  private(set) var rows: [PurchaseRow] = []
  private var byIdentity: [PurchaseIdentity: Int] = [:]
  private var ofCustomers: [CustomerNumber: [Int]] = [:]
  private(set) var evidence: [PurchaseIdentity: [EvidenceRow]] = [:]
  /// The held purchases, which are also in the evidence.
  private var held: [PurchaseIdentity: EvidenceRow] = [:]
  private(set) var refunds: [RefundRow] = []
  /// Indexes into ``refunds``, by purchase.
  private(set) var refundsOfPurchases: [Int64: [Int]] = [:]
  private(set) var refundParts: [TransactionNumber: [RefundPartRow]] = [:]

  subscript(identity: PurchaseIdentity) -> PurchaseRow? { byIdentity[identity].map { withRefund(rows[$0]) } }

  subscript(number number: Int64) -> PurchaseRow? {
    // Numbers ascend, and refused commands may leave gaps.
    let index = rows.partitioningIndex { $0.number >= number }
    return index < rows.count && rows[index].number == number ? withRefund(rows[index]) : nil
  }

  func purchases(of customer: CustomerNumber, below: Int64, limit: Int) -> [PurchaseRow] {
    let own = (ofCustomers[customer] ?? []).reversed().lazy.map { rows[$0] }.filter { $0.number < below }
    return own.prefix(limit).map(withRefund)
  }

  func purchase(of customer: CustomerNumber, creditedBy transaction: TransactionNumber) -> PurchaseRow? {
    let own = ofCustomers[customer] ?? []
    return own.last { rows[$0].transaction == transaction }.map { withRefund(rows[$0]) }
  }

  func refund(bookedBy transaction: TransactionNumber) -> RefundRow? {
    let index = refunds.partitioningIndex { $0.transaction >= transaction }
    return index < refunds.count && refunds[index].transaction == transaction ? refunds[index] : nil
  }

  func refunds(of purchase: Int64) -> [RefundRow] { (refundsOfPurchases[purchase] ?? []).map { refunds[$0] } }

  func withRefund(_ row: PurchaseRow) -> PurchaseRow {
    guard let newest = refundsOfPurchases[row.number]?.last else { return row }
    var row = row
    row.refund = refunds[newest].state
    return row
  }

  /// Returns the held purchases that meet a condition, in the order in which they are due.
  func held(
    after place: IndexPlace? = nil, limit: Int = .max, where isWanted: (EvidenceRow.HeldState) -> Bool
  ) -> [EvidenceRow] {
    let found = held.values.compactMap { row -> (place: IndexPlace, row: EvidenceRow)? in
      guard let state = row.held, isWanted(state) else { return nil }
      return (IndexPlace(state.dueAt, row.variant), row)
    }
    return found.filter { found in place.map { found.place > $0 } ?? true }.sorted { $0.place < $1.place }
      .prefix(limit).map(\.row)
  }

  // MARK: Writing

  mutating func append(_ row: PurchaseRow) {
    byIdentity[row.identity] = rows.count
    ofCustomers[row.customer, default: []].append(rows.count)
    rows.append(row)
  }

  mutating func write(_ changes: ColdChanges) {
    for row in changes.refunds {
      refundsOfPurchases[row.purchase, default: []].append(refunds.count)
      refunds.append(row)
    }
    for row in changes.refundParts { refundParts[row.transaction, default: []].append(row) }
    for row in changes.evidence {
      evidence[row.identity, default: []].removeAll { $0.isAboutTheSame(as: row) }
      evidence[row.identity, default: []].append(row)
      if row.kind == .held { held[row.identity] = row.held == nil ? nil : row }
    }
  }
}
