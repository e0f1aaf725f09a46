#if PostgreSQL
internal import GemLedger

/// A question for rows, and where they go.
struct RowsQuery {
  let requests: [PostgresRequest]
  let keep: (Prefetched, PostgresRows, Int) throws(LedgerError) -> Void
}

/// The queries for rows of earlier transactions, and for rows that those name.
struct EarlierQueries: SessionPart {
  let session: PostgresSession

  func question(
    at addresses: [RowAddress], _ columns: String, _ table: String, _ number: RowsByNumber,
    _ keep: @escaping (Prefetched, PostgresRows, Int) -> Void
  ) -> RowsQuery {
    RowsQuery(requests: requests(at: addresses, columns, from: table, by: number), keep: keep)
  }

  func rowsQuestions(about part: EarlierParts, at addresses: [RowAddress]) -> [RowsQuery] {
    switch part {
    case .row:
      [
        question(at: addresses, TransactionRow.columns, "transactions", "number") {
          $0.booked.add(TransactionRow.read($1, $2))
        }
      ]
    case .postings: postingsQuestions(at: addresses)
    case .events:
      [
        question(at: addresses, JournalEventRow.columns, "journal_events", "transaction_number") {
          $0.booked.add(own: JournalEventRow.read($1, $2))
        }
      ]
    case .about:
      [
        question(at: addresses, JournalEventRow.columns, "journal_events", JournalEventRow.byTarget) {
          $0.booked.add(about: JournalEventRow.read($1, $2))
        }
      ]
    default:
      [
        question(at: addresses, HoldRow.columns, "open_holds", "hold") {
          let hold = HoldRow.read($1, $2)
          $0.booked.add(hold)
          $0.holdOwners[hold.number] = hold.customer
        }
      ]
    }
  }

  /// The entries, allocations and items of the transactions.
  func postingsQuestions(at addresses: [RowAddress]) -> [RowsQuery] {
    func within(_ column: String) -> RowsByNumber {
      RowsByNumber(
        isWanted: "\(column) >= wanted << 12 AND \(column) < (wanted + 1) << 12", isAny: "\(column) >> 12 = ANY($2)")
    }
    return [
      question(at: addresses, EntryRow.columns, "entries", within("number")) { $0.booked.add(EntryRow.read($1, $2)) },
      question(at: addresses, AllocationRow.columns, "allocations", within("entry")) {
        $0.booked.add(AllocationRow.read($1, $2))
      },
      question(at: addresses, ItemEntryRow.columns, "item_entries", "transaction_number") {
        $0.booked.add(ItemEntryRow.read($1, $2))
      },
    ]
  }

  /// Up to how many transactions the lots that rows of theirs name are asked for with those rows: each of them costs
  /// more so, which a round trip less outweighs while they are few.
  static let placesWithLots = 16

  /// Asks for the lots that the rows name, with their attributes and purchases, of the same customers.
  func namedQuestions(at missing: [EarlierParts: [RowAddress]]) -> [RowsQuery] {
    let addresses = Array(Set([.postings, .about, .hold].flatMap { missing[$0] ?? [] }))
    guard (1...Self.placesWithLots).contains(addresses.count) else { return [] }
    func named(
      _ columns: String, _ tables: String, _ keep: @escaping (Prefetched, PostgresRows, Int) -> Void
    ) -> RowsQuery {
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
        $0.add(addresses) { $0.customer ?? 0 }
        $0.add(addresses, \.number)
      }
      return RowsQuery(requests: [request], keep: keep)
    }
    return [
      named(LotRow.columns, "lots WHERE customer = owner AND lot = named") { $0.keep(lot: LotRow.read($1, $2)) },
      named(LotAttributesRow.columns, "lot_attributes WHERE customer = owner AND lot = named") {
        $0.keep(attributes: LotAttributesRow.read($1, $2))
      },
      named(
        PurchaseRow.columns,
        """
        \(PurchaseRow.tables) WHERE p.customer = owner AND \(PurchaseRow.isNewestRefund)
          AND p.purchase = (SELECT l.purchase FROM lots l WHERE l.customer = owner AND l.lot = named)
        """
      ) { $0.keep(purchase: PurchaseRow.read($1, $2)) },
    ]
  }

  /// Asks for lots, lot attributes and purchases that fetched rows name and that are missing.
  func lotQuestions() -> [RowsQuery] {
    guard let prefetched else { return [] }
    let booked = prefetched.booked
    let named = booked.namedLots()
    guard !named.isEmpty else { return [] }
    var pools: [LotNumber: LotSource] = [:]
    // Currency that comes back to pooled lots of merged customers goes where the attributes of those lots lead.
    var former: Set<LotNumber> = []
    for account in prefetched.accounts.values {
      pools[account.poolLot] = LotSource(rawValue: account.poolSource)
      if prefetched.customers[account.number.customer]?.mergedInto != 0 { former.insert(account.poolLot) }
    }
    var (lots, attributes, paid): (Set<RowAddress>, Set<RowAddress>, Set<RowAddress>) = ([], [], [])
    for name in named {
      if let source = pools[name.lot] {
        booked.poolSources[name.lot] = source
        if !former.contains(name.lot) { continue }
      }
      if name.wantsLotAttributes, booked.attributes[name.lot] == nil {
        attributes.insert(RowAddress(name.lot, of: name.namer))
      }
      guard booked.lots[name.lot] == nil, pools[name.lot] == nil else { continue }
      let addresses = booked.owners(of: name.address).map { RowAddress(name.lot, of: $0) }
      lots.formUnion(addresses)
      if name.wantsPurchase { paid.formUnion(addresses) }
    }
    lots.subtract(booked.askedLots)
    paid.formIntersection(lots)
    attributes.subtract(booked.askedLotAttributes)
    let (near, far) = booked.missingPurchases(isDistributed: layout.isDistributed)
    booked.askedLots.formUnion(lots)
    booked.askedLotAttributes.formUnion(attributes)
    booked.askedPurchases.formUnion(far)
    booked.askedNear.formUnion(near.map(\.number))
    var questions: [RowsQuery] = []
    if !lots.isEmpty {
      questions.append(
        RowsQuery(requests: requests(at: Array(lots), LotRow.columns, from: "lots", by: "lot")) {
          $0.keep(lot: LotRow.read($1, $2))
        })
    }
    if !attributes.isEmpty {
      questions.append(
        RowsQuery(
          requests: requests(at: Array(attributes), LotAttributesRow.columns, from: "lot_attributes", by: "lot")
        ) {
          $0.keep(attributes: LotAttributesRow.read($1, $2))
        })
    }
    if !paid.isEmpty, !layout.isDistributed { questions.append(refundedPurchases.query(ofLots: paid)) }
    if !near.isEmpty { questions.append(refundedPurchases.query(near)) }
    if !far.isEmpty { questions.append(Self.purchasesQuestion(Array(far))) }
    return questions
  }

  static func purchasesQuestion(_ numbers: [Int64]) -> RowsQuery {
    let request = PostgresRequest(
      """
      SELECT \(PurchaseRow.columns) FROM \(PurchaseRow.tables)
      WHERE p.purchase = ANY($1) AND \(PurchaseRow.isNewestRefund)
      """
    ) { $0.add(numbers) { $0 } }
    return RowsQuery(requests: [request]) { $0.keep(purchase: PurchaseRow.read($1, $2)) }
  }

  /// The keys of the transactions' customers, under all their numbers: merges leave keys where they are.
  func keyQuestions() -> [RowsQuery] {
    guard let prefetched else { return [] }
    var addresses: [Prefetched.KeyAddress] = []
    for (address, key) in prefetched.booked.keys {
      for owner in prefetched.booked.owners(of: address) {
        let address = Prefetched.KeyAddress(customer: owner, key: key)
        if prefetched.askedKeys.insert(address).inserted { addresses.append(address) }
      }
    }
    let storage = storageName
    return keyQueries.grouped(addresses).map { addresses in
      RowsQuery(requests: [keyQueries.question(addresses)]) { (prefetched, rows, row) throws(LedgerError) in
        try prefetched.keep(key: rows, row, storage)
      }
    }
  }
}

extension Prefetched {
  fileprivate func keep(lot row: LotRow) {
    booked.add(row)
    lotOwners[row.number] = row.account.customer
  }

  fileprivate func keep(attributes row: LotAttributesRow) { booked.add(row) }

  func keep(purchase row: PurchaseRow) {
    booked.add(row)
    purchaseOwners[row.number] = row.customer
  }
}
#endif
