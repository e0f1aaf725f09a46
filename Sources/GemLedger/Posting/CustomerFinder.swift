/// Finds customers by their ids, now and at a past instant.
package struct CustomerFinder {
  let snapshot: any StorageSnapshot

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
    guard let instant, try wasMoved(found) else { return found }
    let number = try number(of: found, at: instant)
    guard number != found.number, let row = try snapshot.customer(number: number) else { return found }
    return FoundCustomer(row, original: found.original)
  }

  /// Whether the id's customer number was ever merged into another.
  private func wasMoved(_ customer: FoundCustomer) throws(LedgerError) -> Bool {
    if customer.original != customer.number { return true }
    guard customer.isOneOfSeveral else { return false }
    return try related(to: customer).count > numbers(of: customer).count
  }

  /// Returns the number of the customer at an instant: a customer that was merged later was still separate then.
  ///
  /// An unmerge removes the last merges from the path.
  private func number(of customer: FoundCustomer, at instant: Timestamp) throws(LedgerError) -> CustomerNumber {
    var path = [customer.original]
    var merges: [MergeRow] = []
    for number in try related(to: customer) { merges += try snapshot.merges(into: number) }
    for merge in merges.sorted(by: { $0.transaction < $1.transaction }) {
      guard let row = try snapshot.transaction(merge.transaction, of: merge.into) else {
        throw .lacksTransaction(merge.transaction)
      }
      guard row.createdAt <= instant else { continue }
      if row.kind == .unmerge {
        guard let index = path.firstIndex(of: merge.into), path.last == merge.from else { continue }
        path.removeLast(path.count - index - 1)
      } else if path.last == merge.from {
        path.append(merge.into)
      }
    }
    return path[path.count - 1]
  }

  /// Returns the customer's row, following merges.
  func survivor(of number: CustomerNumber) throws(LedgerError) -> CustomerRow {
    var row = try snapshot.customer(number: number)
    if let into = row?.mergedInto, into != 0 { row = try snapshot.customer(number: into) }
    guard let row else {
      throw LedgerError(.storageDamaged, "Customer number \(number) has no row; run verify.")
    }
    return row
  }

  /// Returns an id of the customer: the requested id if it names this customer, else the original id.
  func id(of row: CustomerRow, asNamedBy asked: CustomerID?) throws(LedgerError) -> CustomerID {
    guard let asked, asked != row.id, try snapshot.customer(asked)?.number == row.number else { return row.id }
    return asked
  }

  /// Returns the numbers of the customer in the journal; the survivor's number is first.
  package func numbers(of customer: FoundCustomer) throws(LedgerError) -> [CustomerNumber] {
    guard customer.isOneOfSeveral else { return [customer.number] }
    return [customer.number] + (try snapshot.mergedCustomers(into: customer.number))
  }

  /// Returns the numbers that may have rows about the customer, including customers that an unmerge split off.
  package func related(to customer: FoundCustomer) throws(LedgerError) -> [CustomerNumber] {
    try CustomerBook(reading: snapshot).related(to: customer)
  }

  /// Returns the related numbers of a customer number, which may be merged.
  func allRelated(to number: CustomerNumber) throws(LedgerError) -> [CustomerNumber] {
    guard var row = try snapshot.customer(number: number) else { return [number] }
    if row.mergedInto != 0, let survivor = try snapshot.customer(number: row.mergedInto) { row = survivor }
    return try related(to: FoundCustomer(row, original: number))
  }

  /// Returns all ids of the customer, the original one first.
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
  /// Merged customers are skipped, since their survivors are listed; stocks are skipped too.
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
