/// Finds customers by their ids, now and at a past instant.
package struct CustomerFinder {
  private let snapshot: any StorageSnapshot

  package init(_ snapshot: any StorageSnapshot) { self.snapshot = snapshot }

  /// Finds the customer that an id names.
  ///
  /// - Throws: `customer_not_found`.
  package func customer(_ id: CustomerID) throws(LedgerError) -> FoundCustomer {
    guard let row = try snapshot.customer(id) else { throw .customerNotFound(id) }
    return row
  }

  /// Finds the customer that an id names, or named at an instant.
  ///
  /// - Throws: `customer_not_found`.
  package func customer(_ id: CustomerID, at instant: Timestamp?) throws(LedgerError) -> FoundCustomer {
    let found = try customer(id)
    guard let instant, found.original != found.number else { return found }
    let number = try number(of: found, at: instant)
    guard number != found.number, let row = try snapshot.customer(number: number) else { return found }
    return FoundCustomer(row, original: found.original)
  }

  /// The number of the customer at an instant; a customer that was merged later was still separate then.
  private func number(of customer: FoundCustomer, at instant: Timestamp) throws(LedgerError) -> CustomerNumber {
    var number = customer.original
    let scan = try snapshot.scan()
    while number != customer.number {
      guard let merge = try merge(of: number, in: scan) else {
        throw LedgerError(.storageDamaged, "The journal lacks the merge of customer number \(number); run verify.")
      }
      guard let row = try snapshot.transaction(merge.transaction, of: merge.into), row.createdAt <= instant else {
        return number
      }
      number = merge.into
    }
    return number
  }

  private func merge(of number: CustomerNumber, in scan: any StorageScan) throws(LedgerError) -> MergeRow? {
    var last: TransactionNumber = 0
    while true {
      let page = try scan.merges(after: last, limit: ScanPage.size)
      if let row = page.first(where: { $0.from == number }) { return row }
      guard let end = page.last?.transaction else { return nil }
      last = end
    }
  }

  /// The numbers under which the journal knows the customer, the own one first.
  package func numbers(of customer: FoundCustomer) throws(LedgerError) -> [CustomerNumber] {
    guard customer.isOneOfSeveral else { return [customer.number] }
    return [customer.number] + (try snapshot.mergedCustomers(into: customer.number))
  }

  /// All ids of the customer, the original one first.
  package func ids(of row: CustomerRow) throws(LedgerError) -> [CustomerID] {
    var ids = [row.id] + (try snapshot.addedIDs(of: row.number))
    guard row.merged > 0 else { return ids }
    for number in try snapshot.mergedCustomers(into: row.number) {
      if let merged = try snapshot.customer(number: number) { ids.append(merged.id) }
      ids += try snapshot.addedIDs(of: number)
    }
    return ids
  }

  /// Reads customers in the order of their numbers.
  ///
  /// Merged ones are left out, since they are listed as their surviving customers; so are stocks.
  func unmerged(after number: CustomerNumber, limit: Int) throws(LedgerError) -> [CustomerRow] {
    var found: [CustomerRow] = []
    var last = number
    while found.count < limit {
      let page = try snapshot.customers(after: last, limit: limit)
      guard let end = page.last?.number else { break }
      found += page.filter { $0.mergedInto == 0 && !$0.id.isOfStock }
      last = end
    }
    return Array(found.prefix(limit))
  }
}
