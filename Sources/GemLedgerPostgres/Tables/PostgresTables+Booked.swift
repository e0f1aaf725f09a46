#if PostgreSQL
  internal import GemLedger

  // What a group's commands ask of transactions that were booked before, for all of them at once: in the round trip
  // that begins the group where it is remembered whose they are, and in one more where it is not. Each further one is
  // for rows that only other rows name: of customers who were merged, of earlier reversals, of others' purchases.

  /// A question for rows, and where they go.
  struct RowsQuestion {
    let requests: [PostgresRequest]
    let keep: (Prefetched, PostgresRows, Int) throws(LedgerError) -> Void
  }

  extension PostgresTables {
    // MARK: Whose transactions are

    static func locating(_ numbers: [TransactionNumber], isDistributed: Bool) -> [PostgresRequest] {
      guard !numbers.isEmpty else { return [] }
      let columns = "t.\(transactionColumns.split(separator: ", ").joined(separator: ", t.")), c.merged_into"
      let tables = "transactions t LEFT JOIN customers c ON c.customer = t.customer"
      guard isDistributed else {
        return [
          PostgresRequest(
            """
            SELECT found.* FROM (SELECT unnest($1) AS lane, unnest($2) AS wanted) places CROSS JOIN LATERAL (
              SELECT \(columns) FROM \(tables) WHERE (t.number & 63) = lane AND t.number = wanted OFFSET 0
            ) found
            """
          ) {
            $0.add(numbers, Numbering.lane)
            $0.add(numbers) { $0 }
          }
        ]
      }
      return Dictionary(grouping: numbers, by: Numbering.lane).map { lane, numbers in
        PostgresRequest("SELECT \(columns) FROM \(tables) WHERE (t.number & 63) = $1 AND t.number = ANY($2)") {
          $0.add(lane)
          $0.add(numbers) { $0 }
        }
      }
    }

    static func located(_ rows: PostgresRows) -> [CustomerDirectory.LocatedTransaction] {
      (0..<rows.count).map { row in
        let found = transaction(rows, row)
        let place = CustomerDirectory.Place(origin: found.customer, mergedInto: rows.integer(row, 6))
        return CustomerDirectory.LocatedTransaction(row: found, place: place)
      }
    }

    // MARK: What the commands want

    /// Notes whose transactions are remembered as somebody's.
    ///
    /// - Returns: The others.
    func wantBooked(
      by commands: [LedgerCommand], _ footprints: [LedgerCommand.Footprint?]
    ) -> [TransactionNumber] {
      var strangers: Set<TransactionNumber> = []
      for (command, footprint) in zip(commands, footprints) {
        guard let footprint, !footprint.transactions.isEmpty else { continue }
        for (number, found) in zip(footprint.transactions, memory.directory.located(footprint.transactions)) {
          guard let found else {
            strangers.insert(number)
            continue
          }
          want(found, by: command, footprint)
        }
      }
      return Array(strangers)
    }

    /// Notes whose the other transactions are, and who is whom by now, as the customers' own rows say.
    func wantLocated(
      _ located: [CustomerDirectory.LocatedTransaction], by commands: [LedgerCommand],
      _ footprints: [LedgerCommand.Footprint?]
    ) {
      guard let prefetched else { return }
      var moved = located
      for (number, place) in prefetched.booked.places {
        guard let origin = prefetched.customers[place.origin], let row = prefetched.booked.transactions[number] else {
          continue
        }
        let now = CustomerDirectory.Place(origin: place.origin, mergedInto: origin.mergedInto)
        if now != place { moved.append(CustomerDirectory.LocatedTransaction(row: row, place: now)) }
      }
      memory.directory.remember(moved, since: epoch)
      let places = Dictionary(moved.map { ($0.row.number, $0) }) { first, _ in first }
      for (command, footprint) in zip(commands, footprints) {
        guard let footprint else { continue }
        for number in footprint.transactions {
          if let found = places[number] {
            want(found, by: command, footprint)
          } else if prefetched.booked.places[number] == nil {
            prefetched.booked.unknown.insert(number)
          }
        }
      }
    }

    private func want(
      _ found: CustomerDirectory.LocatedTransaction, by command: LedgerCommand, _ footprint: LedgerCommand.Footprint
    ) {
      guard let booked = prefetched?.booked else { return }
      booked.add(found.row)
      booked.want(
        footprint.subject == .holding ? [.row, .hold, .terms] : [.row, .about, .postings],
        of: found.row.number, at: found.place)
      if let key = command.key { booked.want(key: key, at: found.place) }
    }

    /// Fetches parts of the transaction, where it is one of those that the group's commands are about: of all of them,
    /// since where one command asks for it others will too.
    func fetchBooked(_ parts: BookedParts, of number: TransactionNumber) throws(LedgerError) {
      guard let booked = prefetched?.booked, booked.places[number] != nil, !booked.knows(parts, of: number) else {
        return
      }
      prefetched?.booked.wantOfAll(parts)
      try completeBooked()
    }

    /// The same with the terms of their lots, which few commands look at.
    func fetchTermsOfBooked() throws(LedgerError) {
      guard prefetched?.booked.lacksTerms ?? false else { return }
      prefetched?.booked.wantOfAll(.terms)
      try completeBooked()
    }

    // MARK: Questions

    /// All that is known to be missing by now.
    func bookedQuestions() -> [RowsQuestion] {
      guard let prefetched, !prefetched.booked.isEmpty else { return [] }
      for (number, place) in prefetched.booked.wantedByEffects() {
        prefetched.booked.want([.row, .postings, .terms], of: number, at: place)
      }
      for (number, place) in prefetched.booked.wantedByHolds() { prefetched.booked.want(.about, of: number, at: place) }
      let missing = prefetched.booked.takeMissing()
      let merges = prefetched.booked.takeMissingMerges(fetched: prefetched.fetched, prefetched.customers)
      var questions = missing.flatMap(rowsQuestions)
      if !layout.isDistributed { questions += namedQuestions(at: missing) }
      if !merges.isEmpty {
        questions.append(
          RowsQuestion(
            requests: [
              PostgresRequest(
                "SELECT customer, merged FROM merged_customers WHERE customer = ANY($1) ORDER BY merged"
              ) { $0.add(merges) { $0 } }
            ], keep: { $0.booked.merged[$1.integer($2, 0), default: []].append($1.integer($2, 1)) }))
      }
      return questions + lotQuestions() + keyQuestions()
    }

    private func question(
      at places: [RowPlace], _ columns: String, _ table: String, _ number: RowsByNumber,
      _ keep: @escaping (Prefetched, PostgresRows, Int) -> Void
    ) -> RowsQuestion {
      RowsQuestion(requests: requests(at: places, columns, from: table, by: number), keep: keep)
    }

    private func rowsQuestions(about part: BookedParts, at places: [RowPlace]) -> [RowsQuestion] {
      switch part {
      case .row:
        [
          question(at: places, Self.transactionColumns, "transactions", "number") {
            $0.booked.add(Self.transaction($1, $2))
          }
        ]
      case .postings: postingsQuestions(at: places)
      case .effects:
        [
          question(at: places, Self.effectColumns, "journal_events", "transaction_number") {
            $0.booked.add(own: Self.effect($1, $2))
          }
        ]
      case .about:
        [
          question(at: places, Self.effectColumns, "journal_events", Self.byTarget) {
            $0.booked.add(about: Self.effect($1, $2))
          }
        ]
      default:
        [
          question(at: places, Self.holdColumns, "open_holds", "hold") {
            let hold = Self.hold($1, $2)
            $0.booked.add(hold)
            $0.holdOwners[hold.number] = hold.customer
          }
        ]
      }
    }

    /// What the transactions moved.
    private func postingsQuestions(at places: [RowPlace]) -> [RowsQuestion] {
      func within(_ column: String) -> RowsByNumber {
        RowsByNumber(
          isWanted: "\(column) >= wanted << 12 AND \(column) < (wanted + 1) << 12", isAny: "\(column) >> 12 = ANY($2)")
      }
      return [
        question(at: places, Self.entryColumns, "entries", within("number")) { $0.booked.add(Self.entry($1, $2)) },
        question(at: places, Self.allocationColumns, "allocations", within("entry")) {
          $0.booked.add(Self.allocation($1, $2))
        },
        question(at: places, Self.itemEntryColumns, "item_entries", "transaction_number") {
          $0.booked.add(Self.itemEntry($1, $2))
        },
      ]
    }

    /// Up to how many transactions the lots that rows of theirs name are asked for with those rows: each of them costs
    /// more so, which a round trip less outweighs while they are few.
    private static let placesWithLots = 16

    /// The lots that the rows name, with their terms and purchases, of the same customers.
    private func namedQuestions(at missing: [BookedParts: [RowPlace]]) -> [RowsQuestion] {
      let places = Array(Set([.postings, .about, .hold].flatMap { missing[$0] ?? [] }))
      guard (1...Self.placesWithLots).contains(places.count) else { return [] }
      func named(
        _ columns: String, _ tables: String, _ keep: @escaping (Prefetched, PostgresRows, Int) -> Void
      ) -> RowsQuestion {
        let request = PostgresRequest(
          """
          WITH places AS MATERIALIZED (SELECT * FROM unnest($1, $2) AS place (owner, wanted)),
          named AS MATERIALIZED (
            SELECT DISTINCT owner, lot AS named FROM places CROSS JOIN LATERAL (
              SELECT lot FROM entries
                WHERE customer = owner AND number >= wanted << 12 AND number < (wanted + 1) << 12
              UNION ALL SELECT lot FROM allocations
                WHERE customer = owner AND entry >= wanted << 12 AND entry < (wanted + 1) << 12
              UNION ALL SELECT lot FROM journal_events WHERE customer = owner AND target = wanted AND target <> 0
            ) AS lots WHERE lot <> 0
          )
          SELECT found.* FROM named CROSS JOIN LATERAL (SELECT \(columns) FROM \(tables) OFFSET 0) AS found
          """
        ) {
          $0.add(places) { $0.customer ?? 0 }
          $0.add(places, \.number)
        }
        return RowsQuestion(requests: [request], keep: keep)
      }
      return [
        named(Self.lotColumns, "lots WHERE customer = owner AND lot = named") { $0.keep(lot: Self.lot($1, $2)) },
        named(Self.lotTermsColumns, "lot_attributes WHERE customer = owner AND lot = named") {
          $0.keep(terms: Self.lotTerms($1, $2))
        },
        named(
          Self.purchaseColumns,
          """
          \(Self.purchaseTables) WHERE p.customer = owner AND \(Self.isNewestRefund)
            AND p.purchase = (SELECT l.purchase FROM lots l WHERE l.customer = owner AND l.lot = named)
          """
        ) { $0.keep(purchase: Self.purchase($1, $2)) },
      ]
    }

    /// Lots, terms and purchases that rows which are there name, and which are not.
    private func lotQuestions() -> [RowsQuestion] {
      guard let prefetched else { return [] }
      let booked = prefetched.booked
      let named = booked.namedLots()
      guard !named.isEmpty else { return [] }
      var pools: [LotNumber: LotSource] = [:]
      // What comes back to pooled lots of who became part of another goes where their terms lead.
      var former: Set<LotNumber> = []
      for account in prefetched.accounts.values {
        pools[account.poolLot] = LotSource(rawValue: account.poolSource)
        if prefetched.customers[account.number.customer]?.mergedInto != 0 { former.insert(account.poolLot) }
      }
      var (lots, terms, paid): (Set<RowPlace>, Set<RowPlace>, Set<RowPlace>) = ([], [], [])
      for name in named {
        if let source = pools[name.lot] {
          booked.poolSources[name.lot] = source
          if !former.contains(name.lot) { continue }
        }
        if name.wantsTerms, booked.terms[name.lot] == nil { terms.insert(RowPlace(name.lot, of: name.namer)) }
        guard booked.lots[name.lot] == nil, pools[name.lot] == nil else { continue }
        let places = booked.owners(of: name.place).map { RowPlace(name.lot, of: $0) }
        lots.formUnion(places)
        if name.wantsPurchase { paid.formUnion(places) }
      }
      lots.subtract(booked.askedLots)
      paid.formIntersection(lots)
      terms.subtract(booked.askedTerms)
      let (near, far) = booked.missingPurchases(isDistributed: layout.isDistributed)
      booked.askedLots.formUnion(lots)
      booked.askedTerms.formUnion(terms)
      booked.askedPurchases.formUnion(far)
      booked.askedNear.formUnion(near.map(\.number))
      var questions: [RowsQuestion] = []
      if !lots.isEmpty {
        questions.append(
          RowsQuestion(requests: requests(at: Array(lots), Self.lotColumns, from: "lots", by: "lot")) {
            $0.keep(lot: Self.lot($1, $2))
          })
      }
      if !terms.isEmpty {
        questions.append(
          RowsQuestion(requests: requests(at: Array(terms), Self.lotTermsColumns, from: "lot_attributes", by: "lot")) {
            $0.keep(terms: Self.lotTerms($1, $2))
          })
      }
      if !paid.isEmpty, !layout.isDistributed { questions.append(purchasesQuestion(ofLots: paid)) }
      if !near.isEmpty { questions.append(purchasesQuestion(near)) }
      if !far.isEmpty { questions.append(Self.purchasesQuestion(Array(far))) }
      return questions
    }

    private static func purchasesQuestion(_ numbers: [Int64]) -> RowsQuestion {
      let request = PostgresRequest(
        "SELECT \(purchaseColumns) FROM \(purchaseTables) WHERE p.purchase = ANY($1) AND \(isNewestRefund)"
      ) { $0.add(numbers) { $0 } }
      return RowsQuestion(requests: [request]) { $0.keep(purchase: purchase($1, $2)) }
    }

    /// Keys of whom the transactions are of: under all numbers, since merges leave keys where they are.
    private func keyQuestions() -> [RowsQuestion] {
      guard let prefetched else { return [] }
      var places: [Prefetched.KeyPlace] = []
      for (place, key) in prefetched.booked.keys {
        for owner in prefetched.booked.owners(of: place) {
          let place = Prefetched.KeyPlace(customer: owner, key: key)
          if prefetched.askedKeys.insert(place).inserted { places.append(place) }
        }
      }
      let storage = place
      return grouped(places).map { places in
        RowsQuestion(requests: [question(places)]) { (prefetched, rows, row) throws(LedgerError) in
          try prefetched.keep(key: rows, row, storage)
        }
      }
    }

    // MARK: Answers

    func keep(_ questions: [RowsQuestion], _ answers: inout ArraySlice<PostgresRows>) throws(LedgerError) {
      guard let prefetched else { return }
      for question in questions {
        for _ in question.requests {
          let rows = answers.removeFirst()
          for row in 0..<rows.count { try question.keep(prefetched, rows, row) }
        }
      }
    }

    /// Asks until nothing is missing that rows name.
    func completeBooked() throws(LedgerError) {
      while true {
        let missing = customersOfBooked()
        let questions = bookedQuestions()
        if missing.isEmpty && questions.isEmpty { return }
        let customers = question(for: missing)
        var answers = try ask(customers.requests + questions.flatMap(\.requests))[...]
        keep(customers, &answers)
        try keep(questions, &answers)
      }
    }

    func customersOfBooked() -> [CustomerNumber] {
      guard let prefetched else { return [] }
      return prefetched.booked.customers.subtracting(prefetched.fetched).sorted()
    }
  }

  extension Prefetched {
    fileprivate func keep(lot row: LotRow) {
      booked.add(row)
      lotOwners[row.number] = row.account.customer
    }

    fileprivate func keep(terms row: LotTermsRow) { booked.add(row) }

    func keep(purchase row: PurchaseRow) {
      booked.add(row)
      purchaseOwners[row.number] = row.customer
    }
  }
#endif
