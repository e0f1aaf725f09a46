#if PostgreSQL
  internal import GemLedger
  internal import Synchronization

  // What the commands of a group ask for most; answered from what was fetched with the group's beginning.

  extension PostgresTables: StorageSession {
    func project() throws(LedgerError) -> ProjectRow {
      guard let project = memory.project else { throw .defect("A storage that is not open yet was asked") }
      return project
    }

    func catalogVersion() throws(LedgerError) -> Int64 {
      if let group { return try group.heads(self).map(\.catalogVersion).max() ?? 0 }
      let version = PostgresRequest("SELECT coalesce(max(version), 0) FROM catalog_versions")
      guard !memory.knowsCatalog.exchange(true, ordering: .relaxed) else {
        return try ask([version]).first?.integer(0, 0) ?? 0
      }
      // Who asks for the first time asks for the currencies next.
      let answers = try ask([version, Self.catalogRequest(.currency)])
      currencies = (0..<answers[1].count).map { Self.catalogRow(.currency, answers[1], $0) }
      return answers[0].integer(0, 0)
    }

    func sequences() throws(LedgerError) -> Sequences {
      guard let group else {
        // Outside of a group nothing is numbered for good; what matters is that journal time does not go back.
        let rows = try rows("SELECT max(last), max(created_at) FROM lanes")
        return Sequences(
          lane: 0, last: rows.integer(0, 0), createdAt: Timestamp(milliseconds: rows.integer(0, 1)))
      }
      let heads = try group.heads(self)
      return Sequences(
        lane: Int64(heads.first?.lane ?? 0), last: heads.map(\.last).max() ?? 0,
        createdAt: Timestamp(milliseconds: heads.map(\.createdAt).max() ?? 0))
    }

    func newestInstant() throws(LedgerError) -> Timestamp {
      Timestamp(milliseconds: try rows("SELECT max(created_at) FROM lanes").integer(0, 0))
    }

    func number(after last: Int64, in sequence: RareSequence) throws(LedgerError) -> Int64 {
      guard sequence != .environment else { return last + 1 }
      let lane = group?.lanes.first ?? 0
      guard sequence == .customer else { return LaneLayout.number(after: last, lane: lane) }
      let number = layout.customer(after: last, lane: lane)
      prefetched?.made.insert(number)
      prefetched?.fetched.insert(number)
      return number
    }

    // MARK: Customers

    func customer(_ id: CustomerID) throws(LedgerError) -> FoundCustomer? {
      if let known = prefetched?.found(id) { return known }
      let alias = PostgresRequest("SELECT customer FROM aliases WHERE id = $1") { $0.add(id.text) }
      guard !layout.isDistributed else {
        // Ids and customers lie on different machines, which no statement joins.
        let found = try ask([alias])[0]
        return found.count == 0 ? nil : try self.found(try existing(found.integer(0, 0)))
      }
      let row = PostgresRequest(
        "SELECT \(Self.customerColumns) FROM customers WHERE customer = (SELECT customer FROM aliases WHERE id = $1)"
      ) { $0.add(id.text) }
      let found = try ask([alias, row])
      guard found[0].count > 0 else { return nil }
      return try self.found(found[1].count > 0 ? Self.customer(found[1], 0) : existing(found[0].integer(0, 0)))
    }

    private func found(_ row: CustomerRow) throws(LedgerError) -> FoundCustomer {
      FoundCustomer(row.mergedInto == 0 ? row : try existing(row.mergedInto), origin: row.number)
    }

    private func existing(_ number: CustomerNumber) throws(LedgerError) -> CustomerRow {
      guard let row = try customer(number: number) else {
        throw LedgerError(.storageDamaged, "\(place) has no customer \(number), whom an id names. Run verify.")
      }
      return row
    }

    func account(_ number: AccountNumber) throws(LedgerError) -> AccountRow? {
      if let prefetched, prefetched.fetched.contains(number.customer) { return prefetched.accounts[number] }
      return try first(
        "SELECT \(Self.accountColumns) FROM accounts WHERE customer = $1 AND currency = $2",
        {
          $0.add(number.customer)
          $0.add(number.currency)
        }, Self.account)
    }

    // MARK: Lots

    func openLots(
      _ account: AccountNumber, paid: Bool, after: LotPosition?, limit: Int
    ) throws(LedgerError) -> [LotRow] {
      if after == nil, limit == Prefetched.lotsPerPage, let prefetched,
        prefetched.fetched.contains(account.customer)
      {
        if prefetched.unfetchedLots.contains(account.customer) { try fetchFirstLots() }
        return self.prefetched?.openLots[Prefetched.LotStream(account: account, paid: paid)] ?? []
      }
      let lots = try all(
        """
        SELECT \(Self.lotColumns) FROM lots
        WHERE customer = $1 AND currency = $2 AND (source = 1) = ($3 = 1) AND remaining > 0
          AND (expires_at, lot) > ($4, $5)
        ORDER BY expires_at, lot LIMIT $6
        """,
        {
          $0.add(account.customer)
          $0.add(account.currency)
          $0.add(paid ? 1 : 0)
          $0.add(after?.expiresAt ?? .min)
          $0.add(after?.lot ?? 0)
          $0.add(Int64(limit))
        }, Self.lot)
      for lot in lots { prefetched?.lotOwners[lot.number] = account.customer }
      return lots
    }

    func pooledLot(
      _ account: AccountNumber, source: LotSource, environment: Int64
    ) throws(LedgerError) -> LotRow? {
      if prefetched?.fetched.contains(account.customer) == true {
        if prefetched?.pooled.contains(account.customer) == false { try fetchPooledLots() }
        return prefetched?.pooledLots[account]?.first { $0.source == source && $0.environment == environment }
      }
      return try first(
        """
        SELECT \(Self.lotColumns) FROM lots WHERE customer = $1 AND currency = $2 AND source = $3 AND environment = $4
          AND purchase IS NULL AND expires_at = 9223372036854775807 AND price IS NULL
        """,
        {
          $0.add(account.customer)
          $0.add(account.currency)
          $0.add(source.rawValue)
          $0.add(environment)
        }, Self.lot)
    }

    /// Few commands ask for one; where one does, others of the group will too, so that all are fetched at once.
    private func fetchPooledLots() throws(LedgerError) {
      guard let prefetched else { return }
      let missing = prefetched.fetched.subtracting(prefetched.pooled)
      self.prefetched?.pooled.formUnion(missing)
      let asked = missing.subtracting(prefetched.made).sorted()
      guard !asked.isEmpty else { return }
      let lots = try all(
        """
        SELECT \(Self.lotColumns) FROM lots WHERE customer = ANY($1) AND purchase IS NULL
          AND expires_at = 9223372036854775807 AND price IS NULL
        """, { $0.add(asked) { $0 } }, Self.lot)
      for lot in lots {
        self.prefetched?.pooledLots[lot.account, default: []].append(lot)
        self.prefetched?.lotOwners[lot.number] = lot.account.customer
      }
    }

    // MARK: Keys and purchases

    func key(_ key: IdempotencyKey, customer: CustomerNumber, hash: Int) throws(LedgerError) -> KeyRow? {
      let place = place
      if prefetched?.made.contains(customer) == true { return nil }
      if let prefetched, prefetched.askedKeys.contains(Prefetched.KeyPlace(customer: customer, key: key)) {
        return prefetched.keys[Prefetched.KeyPlace(customer: customer, key: key)]
      }
      return try first(
        """
        SELECT request_digest, qualifier_digest, transaction_number, refusal FROM keys WHERE customer = $1 AND key = $2
        """,
        {
          $0.add(customer)
          $0.add(bytes: PostgresKey.bytes(key))
        },
        { (rows, row) throws(LedgerError) in
          KeyRow(
            customer: customer, key: key,
            fingerprint: Fingerprint(asked: rows.integer(row, 0), qualifiers: rows.integer(row, 1)),
            outcome: try Self.outcome(rows, row, 2, place))
        })
    }

    static func outcome(
      _ rows: PostgresRows, _ row: Int, _ at: Int, _ place: String
    ) throws(LedgerError) -> KeyRow.Outcome {
      if let transaction = rows.optionalInteger(row, at) { return .booked(transaction) }
      guard let refusal = rows.optionalText(row, at + 1).flatMap(LedgerError.init(stored:)) else {
        throw LedgerError(.storageDamaged, "\(place) has a key without an answer. Run verify.")
      }
      return .refused(refusal)
    }

    func purchase(_ identity: PurchaseIdentity) throws(LedgerError) -> PurchaseRow? {
      let claim = try claim(identity)
      guard let claim, claim.purchase != 0 else { return nil }
      if let known = prefetched?.booked.purchases[claim.purchase] { return known }
      prefetched?.purchaseOwners[claim.purchase] = claim.customer
      return try first(
        """
        SELECT \(Self.purchaseColumns) FROM \(Self.purchaseTables)
        WHERE p.customer = $1 AND p.purchase = $2 AND \(Self.isNewestRefund)
        """,
        {
          $0.add(claim.customer)
          $0.add(claim.purchase)
        }, Self.purchase)
    }

    private func claim(_ identity: PurchaseIdentity) throws(LedgerError) -> Prefetched.StoreClaim? {
      if let held = prefetched?.claims[identity] { return held }
      return try first(
        """
        SELECT customer, purchase FROM store_transactions
        WHERE store_transaction = $1 AND environment = $2 AND store = $3
        """,
        {
          $0.add(identity.transactionID.text)
          $0.add(identity.environment)
          $0.add(identity.store.number)
        }, { Prefetched.StoreClaim(customer: $0.integer($1, 0), purchase: $0.integer($1, 1)) })
    }
  }
#endif
