/// Journal events, holds and counts, with their indexes.
struct MemoryJournalEvents {
  /// In the order of transactions and positions.
  var all: [JournalEventRow] = []
  private var ofTransactions: [TransactionNumber: Range<Int>] = [:]
  private var aboutTargets: [TransactionNumber: [Int]] = [:]
  private var ofCustomers: [CustomerNumber: [Int]] = [:]
  private(set) var holds: [TransactionNumber: HoldRow] = [:]
  private var holdsOfCustomers: [CustomerNumber: Set<TransactionNumber>] = [:]
  private(set) var counts: [CustomerNumber: [CountKey: CountRow]] = [:]

  // MARK: Reading

  func events(of transaction: TransactionNumber) -> [JournalEventRow] {
    ofTransactions[transaction].map { Array(all[$0]) } ?? []
  }

  func events(about target: TransactionNumber) -> [JournalEventRow] { (aboutTargets[target] ?? []).map { all[$0] } }

  func events(of customer: CustomerNumber, before place: IndexPlace, limit: Int) -> [JournalEventRow] {
    let own = (ofCustomers[customer] ?? []).reversed().lazy.map { all[$0] }
    return Array(own.filter { IndexPlace($0.transaction, $0.position) < place }.prefix(limit))
  }

  func holds(of customer: CustomerNumber) -> [HoldRow] {
    (holdsOfCustomers[customer] ?? []).compactMap { holds[$0] }.sorted {
      ($0.deadline, $0.number) < ($1.deadline, $1.number)
    }
  }

  func count(_ key: IndexKey) -> CountRow? {
    CountKey.Kind(rawValue: key.second).flatMap { counts[key.first]?[CountKey($0, key.text)] }
  }

  func counts(of customer: CustomerNumber) -> [CountRow] {
    (counts[customer] ?? [:]).values.sorted { $0.key < $1.key }
  }

  // MARK: Writing

  mutating func write(_ changes: ColdChanges) {
    for row in changes.events {
      let position = all.count
      all.append(row)
      ofTransactions[row.transaction] = (ofTransactions[row.transaction]?.lowerBound ?? position)..<position + 1
      if row.target != 0 { aboutTargets[row.target, default: []].append(position) }
      if row.kind.isAskedByCustomer { ofCustomers[row.customer, default: []].append(position) }
    }
    for row in changes.holds {
      if let old = holds[row.number], old.customer != row.customer {
        holdsOfCustomers[old.customer]?.remove(row.number)
      }
      holds[row.number] = row
      holdsOfCustomers[row.customer, default: []].insert(row.number)
    }
    for row in changes.endedHolds {
      // A group that merges customers may end a hold that is still listed with its former owner.
      let owner = holds.removeValue(forKey: row.number)?.customer
      holdsOfCustomers[owner ?? row.customer]?.remove(row.number)
    }
    for row in changes.counts { counts[row.customer, default: [:]][row.key] = row }
    for row in changes.endedCounts { counts[row.customer]?[row.key] = nil }
  }
}

// MARK: Erasure

extension MemoryTables {
  /// Erases a customer's identity and the texts about the customer.
  func erase(_ row: ErasureRow) {
    let numbers = Set(row.numbers)
    for (number, id) in zip(row.numbers, row.ids) {
      customers.rename(number, id, in: &customerIndex)
      for added in cold.idsOfCustomers.removeValue(forKey: number) ?? [] where cold.addedIDs[added] == number {
        cold.addedIDs[added] = nil
      }
    }
    notes = notes.filter { number, _ in !numbers.contains(transactions[Int(number) - 1].customer) }
    for position in 0..<keys.count where numbers.contains(keys[position].customer) {
      keys[position] = keys[position].erased(at: position)
    }
    orders.erase(numbers)
  }
}

extension Array where Element == CustomerRow {
  mutating func rename(_ number: CustomerNumber, _ id: CustomerID, in index: inout HashIndex) {
    self[Int(number) - 1].id = id
    index.insert(ByteHash.of(id.text), row: Int(number) - 1)
  }
}

extension KeyRow {
  /// The empty row in the place of an erased key, since the index counts places.
  ///
  /// The index does not find it: a caller's key contains no NUL.
  fileprivate func erased(at position: Int) -> KeyRow {
    let key = IdempotencyKey(unchecked: "\u{0}\(position)")
    return KeyRow(customer: customer, key: key, fingerprint: fingerprint, outcome: outcome)
  }

  var isErased: Bool { key.text.utf8.first == 0 }
}
