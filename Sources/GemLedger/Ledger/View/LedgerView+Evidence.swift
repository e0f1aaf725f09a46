/// A genuine purchase that is not credited, or was credited to another customer than it names.
package struct HeldPurchase: Sendable {
  package let store: Store
  package let environment: StoreEnvironment
  package let transactionID: StoreTransactionID
  package let reason: HoldReason
  package let since: Timestamp
  /// The time of the next automatic decision; nil for never.
  package let dueAt: Timestamp?
  /// The customer that posted it first; nil if no customer did.
  package let customer: CustomerID?
  /// The cause by name, if it has one: the token of the buyer, the app, the environment.
  package let subject: String?
  /// The data for the next decision that is not in the statements.
  package let note: String
  /// The store's statements, newest first.
  package let statements: [KeptStatement]
  /// Its position among the held purchases with the same reason.
  package let place: IndexPlace
}

/// A store's statement as the ledger stores it.
package struct KeptStatement: Sendable {
  package let kind: EvidenceRow.Kind
  package let content: String
  /// The store's first and last date of the statement.
  package let firstStatedAt: Timestamp
  package let statedAt: Timestamp
}

extension LedgerView {
  /// The statements of stores, and the held purchases.
  package var evidence: KeptEvidence { KeptEvidence(ledger: ledger, snapshot: snapshot) }

  package struct KeptEvidence {
    let ledger: Ledger
    let snapshot: any StorageSnapshot

    /// Returns purchases held for a reason, in the order in which they are due.
    package func held(
      for reason: HoldReason, after place: IndexPlace?, limit: Int
    ) throws(LedgerError) -> [HeldPurchase] {
      try purchases(of: snapshot.page(EvidenceRow.heldDue, IndexKey(reason.rawValue), after: place, limit: limit))
    }

    /// Returns the number of purchases held for a reason, up to a limit.
    package func count(of reason: HoldReason, limit: Int) throws(LedgerError) -> Int {
      var (count, place) = (0, nil as IndexPlace?)
      while count < limit {
        let page: [EvidenceRow] = try snapshot.page(
          EvidenceRow.heldDue, IndexKey(reason.rawValue), after: place, limit: Limits.historyPage)
        count += page.count
        guard page.count == Limits.historyPage, let last = page.last, let state = last.held else { break }
        place = IndexPlace(state.dueAt, last.variant)
      }
      return min(count, limit)
    }

    /// Returns the held purchases with an id at any store.
    package func held(with id: StoreTransactionID) throws(LedgerError) -> [HeldPurchase] {
      var keys: [IndexKey] = []
      let numbers = StoreEnvironment.Kind.allCases.map(\.rawValue) + (try snapshot.environments().map(\.number))
      for environment in Set(numbers).sorted() {
        for store in Store.all {
          keys.append(
            IndexKey(PurchaseIdentity(store: store, environment: environment, transactionID: id)))
        }
      }
      let rows: [EvidenceRow] = try snapshot.rows(EvidenceRow.ofPurchase, keys)
      return try purchases(of: rows.filter { $0.held != nil })
    }

    /// Returns purchases that wait for a buyer, an app or an environment.
    package func held(waitingFor subject: String) throws(LedgerError) -> [HeldPurchase] {
      try purchases(of: snapshot.rows(EvidenceRow.heldForSubject, [IndexKey(text: subject)]))
    }

    /// Returns a held store transaction; nil if it is not held.
    package func held(
      store: Store, environment: StoreEnvironment, transactionID: StoreTransactionID
    ) throws(LedgerError) -> HeldPurchase? {
      guard let identity = try identity(store, environment, transactionID) else { return nil }
      let rows: [EvidenceRow] = try snapshot.rows(EvidenceRow.ofPurchase, [IndexKey(identity)])
      return try purchases(of: rows.filter { $0.held != nil }).first
    }

    /// Returns the stores' statements about credited purchases, newest first, by the purchases' ids.
    package func statements(
      about purchases: [Purchase]
    ) throws(LedgerError) -> [StoreTransactionID: [KeptStatement]] {
      var keys: [IndexKey] = []
      for purchase in purchases {
        let found = try identity(purchase.store, purchase.environment, purchase.storeTransactionID)
        if let found { keys.append(IndexKey(found)) }
      }
      guard !keys.isEmpty else { return [:] }
      let rows: [EvidenceRow] = try snapshot.rows(EvidenceRow.ofPurchase, keys)
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
      let rows: [EvidenceRow] = try snapshot.rows(EvidenceRow.ofPurchase, held.map { IndexKey($0.identity) })
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
