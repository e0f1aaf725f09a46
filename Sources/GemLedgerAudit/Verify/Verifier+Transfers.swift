internal import GemLedger

/// The currencies that the entries of an exchange gave and took.
struct ExchangeSides {
  let transaction: TransactionNumber
  let customer: CustomerNumber
  private(set) var given: Set<Int64> = []
  private(set) var taken: Set<Int64> = []
  private(set) var isOfOneCustomer = true

  init(of entry: EntryRow) {
    transaction = entry.transaction
    customer = entry.account.customer
    add(entry)
  }

  mutating func add(_ entry: EntryRow) {
    if entry.account.customer != customer { isOfOneCustomer = false }
    if entry.amount > 0 {
      given.insert(entry.account.currency)
    } else {
      taken.insert(entry.account.currency)
    }
  }

  /// Whether it took of currencies and gave of others.
  var isWhole: Bool { isOfOneCustomer && !given.isEmpty && !taken.isEmpty && given.isDisjoint(with: taken) }
}

// Moved amounts are neither made nor lost on the way.

extension Verifier {
  // MARK: Merges

  /// The entries of a merge add up to 0, currency by currency.
  mutating func checkSums(of page: [MergeRow]) throws(LedgerError) {
    // They are of two customers.
    let entries = try snapshot.entries(of: page.map { RowAddress($0.transaction, of: nil) })
    for row in page {
      equations.merged.formUnion([row.from, row.into])
      for (currency, sum) in Self.sums(entries[row.transaction] ?? [], of: .merge) where sum != 0 {
        report(
          "merges_cancel_out", currency: currency,
          "transaction \(row.transaction) moved customer number \(row.from)'s into \(row.into)'s; its entries come to "
            + "\(sum), not to 0")
      }
    }
  }

  /// Checks that a merged customer has nothing left.
  mutating func checkMoved(_ row: AccountRow, _ replay: Replay) {
    guard !replay.survivingCustomers.isEmpty, let survivingCustomer = replay.survivingCustomers[row.number.customer],
      row.balance != 0 || row.debt != 0 || row.held != 0
    else { return }
    report(
      "merges_leave_nothing", currency: row.number.currency,
      "\(name(of: row.number)) is \(row.balance) with debt \(row.debt), and is part of customer number "
        + "\(survivingCustomer)'s"
    )
  }

  private static func sums(_ entries: [EntryRow], of kind: EntryKind) -> [(Int64, Int128)] {
    var sums: [Int64: Int128] = [:]
    for entry in entries where entry.kind == kind {
      sums[entry.account.currency, default: 0] += Int128(entry.amount)
    }
    return sums.sorted { $0.key < $1.key }
  }

  // MARK: Transfers

  /// Checks that the amounts that customers of one basket gave each other add up to 0, currency by currency.
  mutating func checkTransfers(of groups: [[JournalEventRow]], _ page: JournalEventPage) throws(LedgerError) {
    var baskets: [[JournalEventRow]] = []
    for group in groups {
      let links = group.filter { $0.kind == .linked }
      guard let first = links.first, let kind = page.transaction(first.transaction)?.kind else { continue }
      if kind == .transfer || kind == .mixed, isFirstSide(links, page) { baskets.append(links) }
    }
    guard !baskets.isEmpty else { return }
    var addresses: Set<RowAddress> = []
    for link in baskets.joined() {
      addresses.insert(RowAddress(link.transaction, of: link.customer))
      addresses.insert(RowAddress(link.target, of: link.value))
    }
    let entries = try snapshot.entries(of: Array(addresses))
    for links in baskets {
      guard let first = links.first else { continue }
      let sides = [first.transaction] + links.map(\.target)
      for (currency, sum) in Self.sums(sides.flatMap { entries[$0] ?? [] }, of: .transfer) where sum != 0 {
        report(
          "transfers_cancel_out", currency: currency,
          "what transaction \(first.transaction) and those linked to it moved comes to \(sum), not to 0")
      }
    }
  }

  /// Whether the side is linked to all others, and they to it alone; the payer's is, and is booked before them.
  private func isFirstSide(_ links: [JournalEventRow], _ page: JournalEventPage) -> Bool {
    links.allSatisfy { link in
      link.target > link.transaction
        && page.sides(of: link).allSatisfy { $0.kind != .linked || $0.target == link.transaction }
    }
  }

  // MARK: Exchanges

  /// Takes an entry of an exchange in; with another transaction's, or with none, the one before is whole.
  mutating func enterExchange(_ entry: EntryRow?) {
    if let entry, equations.exchange?.transaction == entry.transaction {
      equations.exchange?.add(entry)
      return
    }
    if let exchange = equations.exchange, !exchange.isWhole {
      report(
        "exchanges_have_two_sides",
        "transaction \(exchange.transaction) is an exchange of customer number \(exchange.customer), and does not take "
          + "one currency for another")
    }
    equations.exchange = entry.map(ExchangeSides.init(of:))
  }
}
