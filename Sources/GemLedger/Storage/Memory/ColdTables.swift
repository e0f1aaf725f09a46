/// Rows that few commands touch, and the indexes that only rare reads need.
struct ColdTables {
  var addedIDs: [CustomerID: CustomerNumber] = [:]
  /// The ids that were added, by customer.
  var idsOfCustomers: [CustomerNumber: [CustomerID]] = [:]
  var mergedInto: [CustomerNumber: [CustomerNumber]] = [:]
  var merges: [MergeRow] = []
  var lotAttributes = MemoryLotAttributes()
  /// The items that a customer ever owned.
  var itemsOfCustomers: [CustomerNumber: Set<ItemID>] = [:]
  var events = MemoryJournalEvents()
  var documents = MemoryDocuments()

  /// Returns the merge that is this transaction.
  func merge(_ transaction: TransactionNumber) -> MergeRow? {
    let index = merges.partitioningIndex { $0.transaction >= transaction }
    return index < merges.count && merges[index].transaction == transaction ? merges[index] : nil
  }

  /// Records the survivor of a merged customer.
  mutating func move(_ row: CustomerRow, from old: CustomerNumber) {
    guard old != row.mergedInto else { return }
    mergedInto[old]?.removeAll { $0 == row.number }
    mergedInto[row.mergedInto, default: []].append(row.number)
  }
}

extension MemoryTables {
  // MARK: Writing

  func write(_ changes: ColdChanges) {
    for row in changes.movedLots { lots.set(row) }
    cold.lotAttributes.append(changes.lotAttributes)
    for row in changes.changedCustomers {
      cold.move(row, from: customers[Int(row.number) - 1].mergedInto)
      customers[Int(row.number) - 1] = row
    }
    for row in changes.addedIDs {
      cold.addedIDs[row.id] = row.customer
      cold.idsOfCustomers[row.customer, default: []].append(row.id)
    }
    cold.merges += changes.merges
    purchases.write(changes)
    cold.events.write(changes)
    cold.documents.write(changes)
    for row in changes.erasures { erase(row) }
    // An id and its customer are one row here, so neither exists without the other.
    for change in changes.idChanges.renamed { customers.rename(change.row.number, change.id, in: &customerIndex) }
  }
}

extension Array where Element == CustomerRow {
  /// Finds the customer of a number, following merges.
  @inline(__always)
  func found(_ original: CustomerNumber) -> FoundCustomer {
    self[Int(original) - 1].isPlain ? FoundCustomer(number: original, isFrozen: false) : survivor(of: original)
  }

  private func survivor(of original: CustomerNumber) -> FoundCustomer {
    let row = self[Int(original) - 1]
    return FoundCustomer(row.mergedInto == 0 ? row : self[Int(row.mergedInto) - 1], original: original)
  }
}
