/// The purchases of a group, with the stores' evidence and the refunds, as the group left them.
struct PurchaseBook: ~Copyable {
  private let scope: GroupScope
  private var purchases: [PurchaseRow] = []
  private var new: [PurchaseIdentity: Int] = [:]
  private var environments: [EnvironmentRow] = []
  private var refunds: [RefundRow] = []
  private var refundParts: [RefundPartRow] = []
  /// The statements and notes to write.
  private var kept: [EvidenceRow] = []
  private var evidence: [PurchaseIdentity: [EvidenceRow]] = [:]
  /// The refund states of purchases after the group's refunds.
  private var refundStates: [Int64: RefundStateRow] = [:]

  private var lastPurchase: Int64?
  private var lastEnvironment: Int64?

  init(_ scope: GroupScope) { self.scope = scope }

  mutating func removeAll() {
    purchases.removeAll(keepingCapacity: true)
    environments.removeAll(keepingCapacity: true)
    (lastPurchase, lastEnvironment) = (nil, nil)
    if !new.isEmpty { new.removeAll() }
    if !kept.isEmpty { (kept, evidence) = ([], [:]) }
    if !refunds.isEmpty { (refunds, refundParts, refundStates) = ([], [], [:]) }
  }

  mutating func collect(into changes: inout ChangeSet) {
    swap(&purchases, &changes.purchases)
    swap(&environments, &changes.environments)
    if !kept.isEmpty { changes.ownCold.evidence = kept }
    if !refunds.isEmpty { (changes.ownCold.refunds, changes.ownCold.refundParts) = (refunds, refundParts) }
  }

  // MARK: Purchases

  func find(_ identity: PurchaseIdentity) throws(LedgerError) -> PurchaseRow? {
    if let index = new[identity] { return withRefund(purchases[index]) }
    return try scope.session.purchase(identity).map { withRefund($0) }
  }

  func find(_ number: Int64) throws(LedgerError) -> PurchaseRow? {
    if let new = purchases.first(where: { $0.number == number }) { return withRefund(new) }
    guard var row = try scope.session.purchase(number: number) else { return nil }
    if scope.moment != nil { row.refund = try refunds(of: row).last?.state }
    return withRefund(row)
  }

  /// The purchase that was added last.
  var newest: PurchaseRow? { purchases.last }

  mutating func add(_ row: PurchaseRow) {
    new[row.identity] = purchases.count
    purchases.append(row)
  }

  /// The purchase with the group's refunds applied.
  private func withRefund(_ row: PurchaseRow) -> PurchaseRow {
    guard let state = refundStates[row.number] else { return row }
    var row = row
    row.refund = state
    return row
  }

  /// Draws the number of a new purchase.
  mutating func nextNumber() throws(LedgerError) -> Int64 { try scope.next(.purchase, after: &lastPurchase) }

  // MARK: Environments

  /// Returns the number by which lots and purchases know the environment; draws one for a new environment.
  mutating func number(of environment: StoreEnvironment) throws(LedgerError) -> Int64 {
    if let known = try knownNumber(of: environment) { return known }
    let number = max(EnvironmentRow.firstDrawnNumber, try scope.next(.environment, after: &lastEnvironment))
    lastEnvironment = number
    environments.append(EnvironmentRow(number: number, environment: environment))
    return number
  }

  /// The environment's number, or nil if it has none yet.
  func knownNumber(of environment: StoreEnvironment) throws(LedgerError) -> Int64? {
    // Environments without a session have fixed numbers.
    guard environment.session != nil else { return environment.kind.rawValue }
    if let new = environments.first(where: { $0.environment == environment }) { return new.number }
    return try scope.session.environments().first { $0.environment == environment }?.number
  }

  // MARK: Evidence

  /// The store's evidence about a purchase, whether the purchase is credited or not.
  func evidence(_ identity: PurchaseIdentity, _ purchase: PurchaseRow?) throws(LedgerError) -> [EvidenceRow] {
    var known = evidence[identity] ?? []
    if evidence[identity] == nil { known = try scope.session.rows(EvidenceRow.ofPurchase, [IndexKey(identity)]) }
    guard let purchase, purchase.refund != nil else { return known }
    return RefundRules.known(known, and: try refunds(of: purchase), about: identity)
  }

  /// Keeps a store's statement, or a note of the ledger, unless it is already kept.
  ///
  /// - Parameter known: The known evidence about the same purchase.
  mutating func keep(_ notice: EvidenceRow, among known: [EvidenceRow]) {
    let row = RefundRules.joined(notice, with: known)
    if known.contains(row) { return }
    evidence[notice.identity] = RefundRules.adding(notice, to: known)
    kept.append(row)
  }

  /// Keeps a row as it is, and replaces the row about the same subject.
  mutating func keep(replacing row: EvidenceRow) {
    if let known = evidence[row.identity] {
      evidence[row.identity] = known.filter { !$0.isAboutTheSame(as: row) } + [row]
    }
    kept.append(row)
  }

  // MARK: Refunds

  mutating func add(_ refund: RefundRow, _ parts: [RefundChange.Part]) {
    refunds.append(refund)
    for (index, part) in parts.enumerated() {
      refundParts.append(
        RefundPartRow(
          transaction: refund.transaction, position: Int64(index) + 1, lot: part.lot, kind: part.kind,
          source: part.source, amount: part.amount))
    }
    refundStates[refund.purchase] = refund.state
  }

  func refunds(of purchase: PurchaseRow) throws(LedgerError) -> [RefundRow] {
    var known = try scope.session.rows(RefundRow.ofPurchase, [IndexKey(purchase.number, of: purchase.customer)])
    if let moment = scope.moment {
      var then: [RefundRow] = []
      for refund in known {
        guard let row = try scope.session.transaction(refund.transaction) else {
          throw .lacksTransaction(refund.transaction)
        }
        if row.createdAt <= moment.instant { then.append(refund) }
      }
      known = then
    }
    return known + refunds.filter { $0.purchase == purchase.number }
  }

  /// - Parameter customers: The customers that may have made the purchase.
  func refund(
    bookedBy transaction: TransactionNumber, ofAny customers: [CustomerNumber]
  ) throws(LedgerError) -> RefundRow? {
    if let new = refunds.first(where: { $0.transaction == transaction }) { return new }
    return try customers.firstRow { (customer) throws(LedgerError) in
      try scope.session.row(RefundRow.byTransaction, IndexKey(transaction, of: customer))
    }
  }

  func refundParts(
    of transaction: TransactionNumber, of purchase: PurchaseRow
  ) throws(LedgerError) -> [RefundPartRow] {
    let own = refundParts.filter { $0.transaction == transaction }
    guard own.isEmpty, !refunds.contains(where: { $0.transaction == transaction }) else { return own }
    return try scope.session.rows(RefundPartRow.ofTransaction, [IndexKey(transaction, of: purchase.customer)])
  }
}
