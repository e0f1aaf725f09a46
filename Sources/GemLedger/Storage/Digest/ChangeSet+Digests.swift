extension ChangeSet {
  /// Gives each of the group's transactions the digest of all rows booked with it.
  ///
  /// The sums grow in the rows of the transactions: a group needs no further memory for them.
  package mutating func digestTransactions() {
    guard let first = transactions.first?.number else { return }
    let step = transactions.count > 1 ? transactions[1].number - first : 1
    // Every command pays for this: buffers copy no row and check no unique ownership.
    let (entries, allocations, keys) = (entries, allocations, keys)
    let lots = Dictionary(
      (cold?.lotAttributes ?? []).map { ($0.lot, RowDigest.of($0)) }, uniquingKeysWith: { first, _ in first })
    transactions.withUnsafeMutableBufferPointer { (transactions) in
      Self.add(entries, allocations, lots, to: transactions)
      Self.add(keys, first: first, step: step, to: transactions)
    }
    for row in notes { transactions[Int((row.transaction - first) / step)].erasable &+= row.digest }
    for row in itemEntries { add(RowDigest.of(row), to: Int((row.transaction - first) / step)) }
    for row in purchases { add(RowDigest.of(row), to: Int((row.transaction - first) / step)) }
    if let cold { add(cold) { Int(($0 - first) / step) } }
    transactions.withUnsafeMutableBufferPointer { (transactions) in
      for index in transactions.indices {
        let parts = UInt64(bitPattern: transactions[index].digest)
        transactions[index].digest = RowDigest.of(transactions[index], parts: parts).stored
      }
    }
  }

  private mutating func add(_ digest: UInt64, to index: Int) {
    transactions[index].digest &+= Int64(bitPattern: digest)
  }

  /// - Parameter lots: The digests of the lot attributes of lots that the group made.
  private static func add(
    _ entries: [EntryRow], _ allocations: [AllocationRow], _ lots: [LotNumber: UInt64],
    to transactions: UnsafeMutableBufferPointer<TransactionRow>
  ) {
    var (index, allocation) = (0, 0)
    var lots = lots
    for entry in entries {
      while transactions[index].number != entry.transaction { index += 1 }
      let position = entry.number - transactions[index].firstEntry
      var sum = RowDigest.of(entry, position: position)
      if entry.lot == 0 {
        while allocation < allocations.count, allocations[allocation].entry == entry.number {
          let row = allocations[allocation]
          sum &+= RowDigest.of(row, position: position)
          if !lots.isEmpty, let attributes = lots.removeValue(forKey: row.lot) { sum &+= attributes }
          allocation += 1
        }
      } else if !lots.isEmpty, let attributes = lots.removeValue(forKey: entry.lot) {
        sum &+= attributes
      }
      transactions[index].digest &+= Int64(bitPattern: sum)
    }
  }

  private static func add(
    _ keys: [KeyRow], first: TransactionNumber, step: Int64,
    to transactions: UnsafeMutableBufferPointer<TransactionRow>
  ) {
    keys.withUnsafeBufferPointer { (keys) in
      for key in keys.indices {
        // Refused commands keep keys too; those belong to no transaction.
        guard let number = keys[key].bookedTransaction, number >= first else { continue }
        let index = step == 1 ? Int(number - first) : Int((number - first) / step)
        transactions[index].erasable &+= Int64(bitPattern: RowDigest.of(keys[key]))
      }
    }
  }

  private mutating func add(_ cold: ColdChanges, index: (TransactionNumber) -> Int) {
    for row in cold.events { add(RowDigest.of(row), to: index(row.transaction)) }
    for row in cold.merges { add(RowDigest.of(row), to: index(row.transaction)) }
    for row in cold.refunds { add(RowDigest.of(row), to: index(row.transaction)) }
    for row in cold.refundParts { add(RowDigest.of(row), to: index(row.transaction)) }
  }
}

extension NoteRow {
  var digest: Int64 { Int64(bitPattern: RowDigest.of(self)) }
}

extension UInt64 {
  /// The digest as a transaction's row has it: 0 means none.
  package var stored: Int64 { self == 0 ? 1 : Int64(bitPattern: self) }
}
