internal import GemLedger

// An unmerge: its entries are replayed as usual; this separates the two customers.

extension JournalReplay {
  /// The same steps as the unmerge itself: see `UnmergeCommand.becomeTwo`.
  func unmerge(from survivor: CustomerNumber, _ transaction: ImportedTransaction) throws(LineFaultOrError) {
    let part = transaction.row.customer
    var row = try customer(part)
    guard row.mergedInto == survivor else { throw .fault("Customer \(part) is not part of customer \(survivor).") }
    let followers = try asking { () throws(LedgerError) in
      try MergeRules.followers(of: part) { (number) throws(LedgerError) in try mergeRecords(of: number) }
    }
    for number in followers {
      var row = try customer(number)
      row.mergedInto = part
      changedCustomers[number] = row
    }
    row.mergedInto = 0
    row.merged = Int64(followers.count) + 1
    changedCustomers[part] = row
    changes.ownCold.merges.append(MergeRow(transaction: transaction.row.number, from: survivor, into: part))
  }

  /// Returns the merges and unmerges of a number, including those of the page.
  private func mergeRecords(of number: CustomerNumber) throws(LedgerError) -> [MergeRecord] {
    var records: [MergeRecord] = []
    for row in try snapshot.merges(into: number) + (changes.cold?.merges ?? []).filter({ $0.into == number }) {
      var transaction = changes.transactions.last { $0.number == row.transaction }
      if transaction == nil { transaction = try snapshot.transaction(row.transaction, of: row.into) }
      guard let transaction else { throw .lacksTransaction(row.transaction) }
      records.append(MergeRecord(row: row, isUnmerge: transaction.kind == .unmerge))
    }
    return records
  }
}
