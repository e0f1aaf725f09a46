#if PostgreSQL
  internal import GemLedger

  // What a group's commands ask of transactions that were booked before, for all of them at once: in the round trip
  // that begins the group where it is remembered whose they are, and in one more where it is not. Each further one is
  // for rows that only other rows name: of customers who were merged, of earlier reversals, of others' purchases.

  /// A question for rows, and where they go.
  struct RowsQuestion {
    let requests: [PostgresRequest]
    let keep: (inout Prefetched, PostgresRows, Int) throws(LedgerError) -> Void
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
            WITH places AS MATERIALIZED (SELECT * FROM unnest($1, $2) AS place (lane, wanted))
            SELECT found.* FROM places CROSS JOIN LATERAL (
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

    static func located(_ rows: PostgresRows) -> [(TransactionNumber, CustomerDirectory.Place)] {
      (0..<rows.count).map { row in
        let found = transaction(rows, row)
        return (
          found.number, CustomerDirectory.Place(origin: found.customer, mergedInto: rows.integer(row, 4))
        )
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
        for (number, place) in zip(footprint.transactions, memory.directory.places(of: footprint.transactions)) {
          guard let place else {
            strangers.insert(number)
            continue
          }
          prefetched?.booked.want(number, at: place, keys: command.keysAtBooked(footprint))
        }
      }
      return Array(strangers)
    }

    /// Notes whose the other transactions are, and who is whom by now, as the customers' own rows say.
    func wantLocated(
      _ located: [(TransactionNumber, CustomerDirectory.Place)], by commands: [LedgerCommand],
      _ footprints: [LedgerCommand.Footprint?]
    ) {
      var moved = located
      for (number, place) in prefetched?.booked.places ?? [:] {
        guard let origin = prefetched?.customers[place.origin] else { continue }
        let now = CustomerDirectory.Place(origin: place.origin, mergedInto: origin.mergedInto)
        if now != place { moved.append((number, now)) }
      }
      memory.directory.remember(moved)
      let places = Dictionary(moved) { first, _ in first }
      for (command, footprint) in zip(commands, footprints) {
        guard let footprint else { continue }
        for number in footprint.transactions {
          if let place = places[number] {
            prefetched?.booked.want(number, at: place, keys: command.keysAtBooked(footprint))
          } else if prefetched?.booked.places[number] == nil {
            prefetched?.booked.unknown.insert(number)
          }
        }
      }
    }

    // MARK: Questions

    /// All that is known to be missing by now.
    func bookedQuestions() -> [RowsQuestion] {
      guard var booked = prefetched?.booked, !booked.isEmpty else { return [] }
      for (number, place) in booked.wantedByEffects() { booked.want(number, at: place) }
      let (places, postings) = (booked.missing, booked.missingPostings)
      booked.asked.formUnion(places)
      booked.askedPostings.formUnion(postings)
      var questions = rowsQuestions(at: places) + postingsQuestions(at: postings)
      let merges = booked.missingMerges.sorted()
      for root in merges { booked.merged[root] = [] }
      if !merges.isEmpty {
        questions.append(
          RowsQuestion(
            requests: [
              PostgresRequest(
                "SELECT customer, merged FROM merged_customers WHERE customer = ANY($1) ORDER BY merged"
              ) { $0.add(merges) { $0 } }
            ], keep: { $0.booked.merged[$1.integer($2, 0), default: []].append($1.integer($2, 1)) }))
      }
      prefetched?.booked = booked
      return questions + lotQuestions() + keyQuestions()
    }

    private func question(
      at places: Set<RowPlace>, _ columns: String, _ table: String, _ number: RowsByNumber,
      _ keep: @escaping (inout Prefetched, PostgresRows, Int) -> Void
    ) -> RowsQuestion {
      RowsQuestion(requests: requests(at: places, columns, from: table, by: number), keep: keep)
    }

    /// What the transactions moved.
    private func postingsQuestions(at places: Set<RowPlace>) -> [RowsQuestion] {
      guard !places.isEmpty else { return [] }
      func within(_ column: String) -> RowsByNumber {
        RowsByNumber(
          isWanted: "\(column) >= wanted << 12 AND \(column) < (wanted + 1) << 12", isAny: "\(column) >> 12 = ANY($2)")
      }
      return [
        question(at: places, Self.transactionColumns, "transactions", "number") {
          $0.booked.add(Self.transaction($1, $2))
        },
        question(at: places, Self.entryColumns, "entries", within("number")) { $0.booked.add(Self.entry($1, $2)) },
        question(at: places, Self.allocationColumns, "allocations", within("entry")) {
          $0.booked.add(Self.allocation($1, $2))
        },
        question(at: places, Self.itemEntryColumns, "item_entries", "transaction_number") {
          $0.booked.add(Self.itemEntry($1, $2))
        },
      ]
    }

    /// The same, with all that is about the transactions.
    private func rowsQuestions(at places: Set<RowPlace>) -> [RowsQuestion] {
      guard !places.isEmpty else { return [] }
      let rows = [
        question(at: places, Self.effectColumns, "effects", "transaction_number") {
          $0.booked.add(own: Self.effect($1, $2))
        },
        question(
          at: places, Self.effectColumns, "effects", Self.byTarget
        ) { $0.booked.add(about: Self.effect($1, $2)) },
        question(at: places, Self.holdColumns, "holds", "number") {
          let hold = Self.hold($1, $2)
          $0.booked.add(hold)
          $0.holdOwners[hold.number] = hold.customer
        },
      ]
      let all = postingsQuestions(at: places) + rows
      return layout.isDistributed ? all : all + namedQuestions(at: Array(places))
    }

    /// The lots that the rows name, with their terms and purchases, of the same customers.
    private func namedQuestions(at places: [RowPlace]) -> [RowsQuestion] {
      func named(
        _ columns: String, _ tables: String, _ keep: @escaping (inout Prefetched, PostgresRows, Int) -> Void
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
              UNION ALL SELECT lot FROM effects WHERE customer = owner AND target = wanted AND target <> 0
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
        named(Self.lotTermsColumns, "lot_terms WHERE customer = owner AND lot = named") {
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
      guard var booked = prefetched?.booked else { return [] }
      let named = booked.namedLots()
      guard !named.isEmpty else { return [] }
      let pools = Set((prefetched?.accounts ?? [:]).values.map(\.poolLot))
      var (lots, terms): (Set<RowPlace>, Set<RowPlace>) = ([], [])
      for name in named {
        if name.wantsTerms, booked.terms[name.lot] == nil { terms.insert(RowPlace(name.lot, of: name.namer)) }
        guard booked.lots[name.lot] == nil, !pools.contains(name.lot) else { continue }
        for owner in booked.owners(of: name.place) { lots.insert(RowPlace(name.lot, of: owner)) }
      }
      lots.subtract(booked.askedLots)
      terms.subtract(booked.askedTerms)
      let (near, far) = booked.missingPurchases(isDistributed: layout.isDistributed)
      booked.askedLots.formUnion(lots)
      booked.askedTerms.formUnion(terms)
      booked.askedPurchases.formUnion(far)
      booked.askedNear.formUnion(near.map(\.number))
      prefetched?.booked = booked
      var questions: [RowsQuestion] = []
      if !lots.isEmpty {
        questions.append(
          RowsQuestion(requests: requests(at: lots, Self.lotColumns, from: "lots", by: "lot")) {
            $0.keep(lot: Self.lot($1, $2))
          })
      }
      if !terms.isEmpty {
        questions.append(
          RowsQuestion(requests: requests(at: terms, Self.lotTermsColumns, from: "lot_terms", by: "lot")) {
            $0.keep(terms: Self.lotTerms($1, $2))
          })
      }
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
      guard let booked = prefetched?.booked else { return [] }
      var places: Set<Prefetched.KeyPlace> = []
      for (place, keys) in booked.keys {
        for owner in booked.owners(of: place) {
          for key in keys { places.insert(Prefetched.KeyPlace(customer: owner, key: key)) }
        }
      }
      places.subtract(prefetched?.askedKeys ?? [])
      prefetched?.askedKeys.formUnion(places)
      let storage = place
      return grouped(places).map { places in
        RowsQuestion(requests: [question(places)]) { (prefetched, rows, row) throws(LedgerError) in
          try prefetched.keep(key: rows, row, storage)
        }
      }
    }

    // MARK: Answers

    func keep(_ questions: [RowsQuestion], _ answers: inout ArraySlice<PostgresRows>) throws(LedgerError) {
      guard !questions.isEmpty, var prefetched else { return }
      // Two would be copied with every row.
      self.prefetched = nil
      defer { self.prefetched = prefetched }
      for question in questions {
        for _ in question.requests {
          let rows = answers.removeFirst()
          for row in 0..<rows.count { try question.keep(&prefetched, rows, row) }
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

  extension LedgerCommand {
    /// The key under which whom the transaction is of asked for something.
    fileprivate func keysAtBooked(_ footprint: Footprint) -> Set<IdempotencyKey> {
      guard footprint.subject == .booked, let key else { return [] }
      return [key]
    }
  }

  extension Prefetched {
    fileprivate mutating func keep(lot row: LotRow) {
      booked.add(row)
      lotOwners[row.number] = row.account.customer
    }

    fileprivate mutating func keep(terms row: LotTermsRow) { booked.add(row) }

    mutating func keep(purchase row: PurchaseRow) {
      booked.add(row)
      purchaseOwners[row.number] = row.customer
    }
  }
#endif
