#if PostgreSQL
internal import GemLedger

// The rows of earlier transactions that a group's commands ask for, for all of them at once. They come in the round
// trip that begins the group where their customers are remembered, and in one more where they are not. Each further
// round trip is for rows that only other rows name: of merged customers, of earlier reversals, of other customers'
// purchases.

/// Fetches the earlier transactions that a group's commands are about.
struct EarlierReads: SessionPart {
  let session: PostgresSession

  private var queries: EarlierQueries { EarlierQueries(session: session) }

  // MARK: Customers of transactions

  static func locating(_ numbers: [TransactionNumber], isDistributed: Bool) -> [PostgresRequest] {
    guard !numbers.isEmpty else { return [] }
    let columns = "t.\(TransactionRow.columns.split(separator: ", ").joined(separator: ", t.")), c.merged_into"
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
      let found = TransactionRow.read(rows, row)
      let address = CustomerDirectory.CustomerAddress(original: found.customer, mergedInto: rows.integer(row, 6))
      return CustomerDirectory.LocatedTransaction(row: found, address: address)
    }
  }

  // MARK: The wanted rows of commands

  /// Notes the wanted transactions with a remembered customer.
  ///
  /// - Returns: The others.
  func wantEarlier(
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

  /// Notes the customers of the other transactions, and the current surviving customers, as the customers' own rows
  /// say.
  func wantLocated(
    _ located: [CustomerDirectory.LocatedTransaction], by commands: [LedgerCommand],
    _ footprints: [LedgerCommand.Footprint?]
  ) {
    guard let prefetched else { return }
    var moved = located
    for (number, address) in prefetched.booked.addresses {
      guard let original = prefetched.customers[address.original], let row = prefetched.booked.transactions[number]
      else {
        continue
      }
      let now = CustomerDirectory.CustomerAddress(original: address.original, mergedInto: original.mergedInto)
      guard now != address else { continue }
      memory.directory.correct(nil, to: now)
      moved.append(CustomerDirectory.LocatedTransaction(row: row, address: now))
    }
    memory.directory.remember(moved, since: epoch)
    let addresses = Dictionary(moved.map { ($0.row.number, $0) }) { first, _ in first }
    for (command, footprint) in zip(commands, footprints) {
      guard let footprint else { continue }
      for number in footprint.transactions {
        if let found = addresses[number] {
          want(found, by: command, footprint)
        } else if prefetched.booked.addresses[number] == nil {
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
      footprint.subject == .holding ? [.row, .hold, .attributes] : [.row, .about, .postings],
      of: found.row.number, at: found.address)
    if let key = command.key { booked.want(key: key, at: found.address) }
  }

  /// Fetches parts of the transaction, where it is one of those that the group's commands are about: of all of them,
  /// since where one command asks for it others will too.
  func fetchEarlier(_ parts: EarlierParts, of number: TransactionNumber) throws(LedgerError) {
    guard let booked = prefetched?.booked, booked.addresses[number] != nil, !booked.knows(parts, of: number) else {
      return
    }
    prefetched?.booked.wantOfAll(parts)
    try completeEarlier()
  }

  /// Fetches the same with the attributes of their lots, which few commands look at.
  func fetchEarlierLotAttributes() throws(LedgerError) {
    guard prefetched?.booked.lacksLotAttributes ?? false else { return }
    prefetched?.booked.wantOfAll(.attributes)
    try completeEarlier()
  }

  // MARK: Questions

  /// All that is known to be missing by now.
  func earlierQueries() -> [RowsQuery] {
    guard let prefetched, !prefetched.booked.isEmpty else { return [] }
    for (number, address) in prefetched.booked.wantedByEvents() {
      prefetched.booked.want([.row, .postings, .attributes], of: number, at: address)
    }
    for (number, address) in prefetched.booked.wantedByHolds() {
      prefetched.booked.want(.about, of: number, at: address)
    }
    let missing = prefetched.booked.takeMissing()
    let merges = prefetched.booked.takeMissingMerges(fetched: prefetched.fetched, prefetched.customers)
    var questions = missing.flatMap(queries.rowsQuestions)
    if !layout.isDistributed { questions += queries.namedQuestions(at: missing) }
    if !merges.isEmpty {
      questions.append(
        RowsQuery(
          requests: [
            PostgresRequest(
              "SELECT customer, merged FROM merged_customers WHERE customer = ANY($1) ORDER BY merged"
            ) { $0.add(merges) { $0 } }
          ], keep: { $0.booked.merged[$1.integer($2, 0), default: []].append($1.integer($2, 1)) }))
    }
    return questions + queries.lotQuestions() + queries.keyQuestions()
  }

  // MARK: Answers

  func keep(_ questions: [RowsQuery], _ answers: inout ArraySlice<PostgresRows>) throws(LedgerError) {
    guard let prefetched else { return }
    for question in questions {
      for _ in question.requests {
        let rows = answers.removeFirst()
        for row in 0..<rows.count { try question.keep(prefetched, rows, row) }
      }
    }
  }

  /// Asks until nothing is missing that rows name.
  func completeEarlier() throws(LedgerError) {
    while true {
      try findParted()
      let missing = customersOfEarlier()
      let questions = earlierQueries()
      if missing.isEmpty && questions.isEmpty { return }
      let customers = customerQueries.question(for: missing)
      var answers = try ask(customers.requests + questions.flatMap(\.requests))[...]
      customerQueries.keep(customers, &answers)
      try keep(questions, &answers)
    }
  }

  /// Finds the customers that were one with a customer before an unmerge: rows about its transactions may be theirs.
  private func findParted() throws(LedgerError) {
    guard let prefetched else { return }
    for number in prefetched.booked.lackingParted(prefetched.customers) {
      let members = [number] + (prefetched.booked.merged[number] ?? [])
      let related = try MergeRules.related(to: members) { (number) throws(LedgerError) in
        try session.merges(into: number)
      }
      prefetched.booked.parted[number] = related.filter { !members.contains($0) }
    }
  }

  func customersOfEarlier() -> [CustomerNumber] {
    guard let prefetched else { return [] }
    return prefetched.booked.customers.subtracting(prefetched.fetched).sorted()
  }
}
#endif
