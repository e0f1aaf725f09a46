/// Effects, holds and counts, with the indexes that questions about them need.
struct MemoryEffects {
  /// In the order of transactions and positions.
  var all: [EffectRow] = []
  private var ofTransactions: [TransactionNumber: Range<Int>] = [:]
  private var aboutTargets: [TransactionNumber: [Int]] = [:]
  private var ofCustomers: [CustomerNumber: [Int]] = [:]
  private(set) var holds: [TransactionNumber: HoldRow] = [:]
  private var holdsOfCustomers: [CustomerNumber: Set<TransactionNumber>] = [:]
  private(set) var counts: [CustomerNumber: [CountKey: CountRow]] = [:]

  // MARK: Reading

  func effects(of transaction: TransactionNumber) -> [EffectRow] {
    ofTransactions[transaction].map { Array(all[$0]) } ?? []
  }

  func effects(about target: TransactionNumber) -> [EffectRow] { (aboutTargets[target] ?? []).map { all[$0] } }

  func effects(of customer: CustomerNumber, below: TransactionNumber, limit: Int) -> [EffectRow] {
    var rows: [EffectRow] = []
    for place in (ofCustomers[customer] ?? []).reversed() where all[place].transaction < below {
      if rows.count >= limit, rows.last?.transaction != all[place].transaction { break }
      rows.append(all[place])
    }
    return rows
  }

  func holds(of customer: CustomerNumber) -> [HoldRow] {
    (holdsOfCustomers[customer] ?? []).compactMap { holds[$0] }.sorted {
      ($0.deadline, $0.number) < ($1.deadline, $1.number)
    }
  }

  func counts(of customer: CustomerNumber) -> [CountRow] {
    (counts[customer] ?? [:]).values.sorted { $0.key < $1.key }
  }

  // MARK: Writing

  mutating func write(_ changes: RareChanges) {
    for row in changes.effects {
      let place = all.count
      all.append(row)
      ofTransactions[row.transaction] = (ofTransactions[row.transaction]?.lowerBound ?? place)..<place + 1
      if row.target != 0 { aboutTargets[row.target, default: []].append(place) }
      if row.kind.isAskedByCustomer { ofCustomers[row.customer, default: []].append(place) }
    }
    for row in changes.holds {
      if let old = holds[row.number], old.customer != row.customer {
        holdsOfCustomers[old.customer]?.remove(row.number)
      }
      holds[row.number] = row
      holdsOfCustomers[row.customer, default: []].insert(row.number)
    }
    for row in changes.endedHolds {
      // A group that merged customers may end a hold that is still listed with its former owner.
      let owner = holds.removeValue(forKey: row.number)?.customer
      holdsOfCustomers[owner ?? row.customer]?.remove(row.number)
    }
    for row in changes.counts { counts[row.customer, default: [:]][row.key] = row }
    for row in changes.endedCounts { counts[row.customer]?[row.key] = nil }
  }
}

// MARK: Reads

extension MemoryTables {
  func effects(of transaction: TransactionNumber, ofAny owners: [CustomerNumber]) -> [EffectRow] {
    rare.effects.effects(of: transaction)
  }

  func effects(about target: TransactionNumber, ofAny owners: [CustomerNumber]) -> [EffectRow] {
    rare.effects.effects(about: target)
  }

  func effects(of customer: CustomerNumber, below: TransactionNumber, limit: Int) -> [EffectRow] {
    rare.effects.effects(of: customer, below: below, limit: limit)
  }

  func hold(_ number: TransactionNumber, ofAny owners: [CustomerNumber]) -> HoldRow? { rare.effects.holds[number] }
  func holds(of customer: CustomerNumber) -> [HoldRow] { rare.effects.holds(of: customer) }
  func count(_ key: CountKey, of customer: CustomerNumber) -> CountRow? { rare.effects.counts[customer]?[key] }
  func counts(of customer: CustomerNumber) -> [CountRow] { rare.effects.counts(of: customer) }

  /// Erases a customer's identity and the texts about the customer.
  func erase(_ row: ErasureRow) {
    let numbers = Set(row.numbers)
    for (number, id) in zip(row.numbers, row.ids) {
      customers.rename(number, id, in: &customerIndex)
      for added in rare.idsOfCustomers.removeValue(forKey: number) ?? [] where rare.addedIDs[added] == number {
        rare.addedIDs[added] = nil
      }
    }
    notes = notes.filter { number, _ in !numbers.contains(transactions[Int(number) - 1].customer) }
    for place in 0..<keys.count where numbers.contains(keys[place].customer) {
      keys[place] = keys[place].erased(at: place)
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
  /// The empty place that an erased key leaves, since the index counts places.
  ///
  /// The index does not find it: a caller's key has no NUL.
  fileprivate func erased(at place: Int) -> KeyRow {
    let key = IdempotencyKey(unchecked: "\u{0}\(place)")
    return KeyRow(customer: customer, key: key, fingerprint: fingerprint, outcome: outcome)
  }

  var isErased: Bool { key.text.utf8.first == 0 }
}
