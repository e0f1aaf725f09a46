#if PostgreSQL
  internal import GemLedger

  // Whom store transactions concern, and what a group's refunds ask of the purchases that they are about: for all of
  // them at once.

  extension PostgresTables {
    // MARK: Before the group

    /// Who has the purchases by now, and their entitlements where that matters; nobody where they are not credited.
    func customersConcerned(
      by footprints: [LedgerCommand.Footprint?]
    ) throws(LedgerError) -> [LedgerCommand.PurchaseClaim: Set<CustomerNumber>] {
      var wanted: [PurchaseIdentity: LedgerCommand.PurchaseClaim] = [:]
      var withHolders: Set<LedgerCommand.PurchaseClaim> = []
      for footprint in footprints.lazy.compactMap({ $0 }) where footprint.subject.isOfPurchase {
        for claim in footprint.purchases {
          guard let identity = try identity(of: claim) else { continue }
          wanted[identity] = claim
          if footprint.subject == .holder { withHolders.insert(claim) }
        }
      }
      if wanted.isEmpty { return [:] }
      let credited = try all(
        """
        SELECT store_transaction, environment, store, customer, purchase FROM store_transactions
        WHERE store_transaction = ANY($1) AND purchase <> 0
        """, { $0.add(Array(wanted.keys), text: \.transactionID.text) },
        { (Self.identity($0, $1), Self.storeClaim($0, $1)) })
      memory.directory.remember(credited, since: epoch)
      var concerned: [LedgerCommand.PurchaseClaim: Set<CustomerNumber>] = [:]
      var entitling: [Int64: LedgerCommand.PurchaseClaim] = [:]
      for (identity, held) in credited {
        guard let claim = wanted[identity] else { continue }
        concerned[claim, default: []].insert(held.customer)
        if withHolders.contains(claim) { entitling[held.purchase] = claim }
      }
      if !entitling.isEmpty {
        for (purchase, holder) in try entitlementHolders(of: entitling.keys.map { RowPlace($0, of: nil) }) {
          if let claim = entitling[purchase] { concerned[claim, default: []].insert(holder) }
        }
      }
      let customers = try customers(Array(Set(concerned.values.joined())))
      return concerned.mapValues { numbers in
        Set(numbers.map { number in customers[number].flatMap { $0.mergedInto == 0 ? nil : $0.mergedInto } ?? number })
      }
    }

    private func identity(of claim: LedgerCommand.PurchaseClaim) throws(LedgerError) -> PurchaseIdentity? {
      var environment = memory.number(of: claim.environment)
      if environment == nil {
        memory.remember(try environments())
        environment = memory.number(of: claim.environment)
      }
      return environment.map {
        PurchaseIdentity(store: claim.store, environment: $0, transactionID: claim.transactionID)
      }
    }

    // MARK: Within the group

    /// Fetches what is known of the purchases that are refunded, and whose they are.
    func fetchRefunded(
      _ commands: [LedgerCommand], _ footprints: [LedgerCommand.Footprint?]
    ) throws(LedgerError) {
      var places: Set<RowPlace> = []
      var keys: [Int64: Set<IdempotencyKey>] = [:]
      for (command, footprint) in zip(commands, footprints) {
        guard let footprint, footprint.subject == .owner else { continue }
        for held in footprint.purchases.compactMap(storeClaim) where held.purchase != 0 {
          places.insert(RowPlace(held.purchase, of: held.customer))
          if let key = command.key { keys[held.purchase, default: []].insert(key) }
        }
      }
      guard !places.isEmpty else { return }
      let missing = Set(places.compactMap(\.customer)).subtracting(prefetched?.fetched ?? []).sorted()
      // The lots that a purchase paid for are found by what it moved; others are seldom needed.
      let customers = question(for: missing, withLots: false)
      let purchases = purchasesQuestion(places)
      var answers = try ask(customers.requests + purchases.requests)[...]
      keep(customers, &answers)
      try keep([purchases], &answers)
      for place in places {
        guard let row = prefetched?.booked.purchases[place.number] else { continue }
        let mergedInto = prefetched?.customers[row.customer]?.mergedInto ?? 0
        let owner = CustomerDirectory.Place(origin: row.customer, mergedInto: mergedInto)
        for key in keys[row.number] ?? [] { prefetched?.booked.want(key: key, at: owner) }
        if row.refund != nil {
          // It may come back, into whatever lots it was taken from.
          prefetched?.booked.want(.all, of: row.transaction, at: owner)
        } else if let grant = row.grant {
          prefetched?.booked.want(lot: grant.lot, at: owner)
        } else {
          prefetched?.booked.want([.row, .postings], of: row.transaction, at: owner)
        }
      }
      try completeBooked()
    }

    /// The store transaction as this group holds it; nil where its environment has no purchases.
    func storeClaim(_ claim: LedgerCommand.PurchaseClaim) -> Prefetched.StoreClaim? {
      guard let number = prefetched?.environments[claim.environment] else { return nil }
      return prefetched?.claims[
        PurchaseIdentity(store: claim.store, environment: number, transactionID: claim.transactionID)]
    }

    /// Of whom they were credited to.
    ///
    /// - Parameter places: All name a customer.
    func purchasesQuestion(_ places: Set<RowPlace>) -> RowsQuestion {
      let requests =
        layout.isDistributed
        ? Dictionary(grouping: places) { layout.lane(of: $0.customer ?? 0) }.values.map(Self.purchasesOfShard)
        : [Self.purchasesOneStepEach(Array(places))]
      return RowsQuestion(requests: requests) { $0.keep(purchase: Self.purchase($1, $2)) }
    }

    /// Of those who have the lots.
    func purchasesQuestion(ofLots places: Set<RowPlace>) -> RowsQuestion {
      let request = Self.purchasesOneStepEach(
        Array(places), "(SELECT l.purchase FROM lots l WHERE l.customer = owner AND l.lot = wanted)")
      return RowsQuestion(requests: [request]) { $0.keep(purchase: Self.purchase($1, $2)) }
    }

    /// - Parameter number: The purchase's, said with the `wanted` number and its `owner`.
    private static func purchasesOneStepEach(_ places: [RowPlace], _ number: String = "wanted") -> PostgresRequest {
      PostgresRequest(
        """
        SELECT found.* FROM (SELECT unnest($1) AS owner, unnest($2) AS wanted) places CROSS JOIN LATERAL (
          SELECT \(purchaseColumns) FROM \(purchaseTables)
          WHERE p.customer = owner AND p.purchase = \(number) AND \(isNewestRefund) OFFSET 0
        ) found
        """
      ) {
        $0.add(places) { $0.customer ?? 0 }
        $0.add(places, \.number)
      }
    }

    private static func purchasesOfShard(_ places: [RowPlace]) -> PostgresRequest {
      PostgresRequest(
        """
        SELECT \(purchaseColumns)
        FROM \(purchaseTables(of: { "\($0).customer = p.customer AND \($0).customer = ANY($1)" }))
        WHERE p.customer = ANY($1) AND p.purchase = ANY($2) AND \(isNewestRefund)
        """
      ) {
        $0.add(Array(Set(places.map { $0.customer ?? 0 }))) { $0 }
        $0.add(places, \.number)
      }
    }
  }

  extension LedgerCommand.Footprint.Subject {
    /// Whether a purchase says whom the command concerns.
    var isOfPurchase: Bool { self == .owner || self == .holder }
  }
#endif
