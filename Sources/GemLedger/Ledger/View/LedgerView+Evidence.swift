/// A genuine purchase that is not credited, or was credited for another than it names.
package struct HeldPurchase: Sendable {
  package let store: Store
  package let environment: StoreEnvironment
  package let transactionID: StoreTransactionID
  package let reason: HoldReason
  package let since: Timestamp
  /// When it is decided again without another cause; nil for never.
  package let dueAt: Timestamp?
  /// The first poster; nil if it was not posted.
  package let customer: CustomerID?
  /// The awaited token, app or environment, if it has a name.
  package let subject: String?
  /// Further data for the next decision.
  package let note: String
  /// What the store stated, newest first.
  package let statements: [KeptStatement]
  /// Its position among the receipts held for one reason.
  package let place: IndexPlace
}

/// A store's statement as the ledger keeps it.
package struct KeptStatement: Sendable {
  package let kind: EvidenceRow.Kind
  package let content: String
  /// The store's first and last date of it.
  package let firstStatedAt: Timestamp
  package let statedAt: Timestamp
}

extension LedgerView {
  /// The statements of stores, and the purchases that are held.
  package var evidence: KeptEvidence { KeptEvidence(ledger: ledger, snapshot: snapshot) }

  package struct KeptEvidence {
    let ledger: Ledger
    let snapshot: any StorageSnapshot

    /// Purchases that are held for a reason, in the order in which they are due.
    package func held(
      for reason: HoldReason, after place: IndexPlace?, limit: Int
    ) throws(LedgerError) -> [HeldPurchase] {
      try purchases(of: snapshot.page(.heldDue, IndexKey(reason.rawValue), after: place, limit: limit))
    }

    /// How many purchases are held for a reason, up to a limit.
    package func count(of reason: HoldReason, limit: Int) throws(LedgerError) -> Int {
      var (count, place) = (0, nil as IndexPlace?)
      while count < limit {
        let page: [EvidenceRow] = try snapshot.page(
          .heldDue, IndexKey(reason.rawValue), after: place, limit: Limits.historyPage)
        count += page.count
        guard page.count == Limits.historyPage, let last = page.last, let state = last.held else { break }
        place = IndexPlace(state.dueAt, last.variant)
      }
      return min(count, limit)
    }

    /// The held purchases with an id at any store.
    package func held(with id: StoreTransactionID) throws(LedgerError) -> [HeldPurchase] {
      var keys: [IndexKey] = []
      let numbers = StoreEnvironment.Kind.allCases.map(\.rawValue) + (try snapshot.environments().map(\.number))
      for environment in Set(numbers).sorted() {
        for store in Store.all {
          keys.append(
            IndexKey(PurchaseIdentity(store: store, environment: environment, transactionID: id)))
        }
      }
      let rows: [EvidenceRow] = try snapshot.rows(.ofPurchase, keys)
      return try purchases(of: rows.filter { $0.held != nil })
    }

    /// Purchases that wait for a buyer, an app or an environment.
    package func held(waitingFor subject: String) throws(LedgerError) -> [HeldPurchase] {
      try purchases(of: snapshot.rows(.heldForSubject, [IndexKey(text: subject)]))
    }

    /// A store transaction that is held; nil if it is not.
    package func held(
      store: Store, environment: StoreEnvironment, transactionID: StoreTransactionID
    ) throws(LedgerError) -> HeldPurchase? {
      guard let identity = try identity(store, environment, transactionID) else { return nil }
      let rows: [EvidenceRow] = try snapshot.rows(.ofPurchase, [IndexKey(identity)])
      return try purchases(of: rows.filter { $0.held != nil }).first
    }

    /// What the stores stated about credited purchases, newest first, by the purchases' ids.
    package func statements(
      about purchases: [Purchase]
    ) throws(LedgerError) -> [StoreTransactionID: [KeptStatement]] {
      var keys: [IndexKey] = []
      for purchase in purchases {
        let found = try identity(purchase.store, purchase.environment, purchase.storeTransactionID)
        if let found { keys.append(IndexKey(found)) }
      }
      guard !keys.isEmpty else { return [:] }
      let rows: [EvidenceRow] = try snapshot.rows(.ofPurchase, keys)
      return Dictionary(grouping: rows, by: \.identity.transactionID).mapValues(Self.statements)
    }

    private func identity(
      _ store: Store, _ environment: StoreEnvironment, _ id: StoreTransactionID
    ) throws(LedgerError) -> PurchaseIdentity? {
      var number: Int64? = environment.kind.rawValue
      if environment.session != nil {
        number = try snapshot.environments().first { $0.environment == environment }?.number
      }
      return number.map { PurchaseIdentity(store: store, environment: $0, transactionID: id) }
    }

    private func purchases(of held: [EvidenceRow]) throws(LedgerError) -> [HeldPurchase] {
      guard !held.isEmpty else { return [] }
      let rows: [EvidenceRow] = try snapshot.rows(.ofPurchase, held.map { IndexKey($0.identity) })
      let statements = Dictionary(grouping: rows, by: \.identity).mapValues(Self.statements)
      var reader = PurchaseReader(
        snapshot: snapshot, definitions: try ledger.catalog.definitions(in: snapshot))
      var found: [HeldPurchase] = []
      for row in held {
        guard let state = row.held else { continue }
        found.append(
          HeldPurchase(
            store: row.identity.store, environment: try reader.environment(row.identity.environment),
            transactionID: row.identity.transactionID, reason: state.reason, since: row.firstSignedAt,
            dueAt: state.dueAt == .max ? nil : Timestamp(milliseconds: state.dueAt),
            customer: state.customer == 0 ? nil : try reader.owner(state.customer), subject: state.subject,
            note: row.content, statements: statements[row.identity] ?? [],
            place: IndexPlace(state.dueAt, row.variant)))
      }
      return found
    }

    private static func statements(_ rows: [EvidenceRow]) -> [KeptStatement] {
      rows.filter { $0.kind != .held }.sorted { ($0.signedAt, $0.variant) > ($1.signedAt, $1.variant) }.map {
        KeptStatement(
          kind: $0.kind, content: $0.content, firstStatedAt: $0.firstSignedAt, statedAt: $0.signedAt)
      }
    }
  }
}
