internal import GemLedger

/// The customers that an increment erases.
///
/// An export names no erased customer: their ids are free, and later customers and aliases in the export may reuse
/// them. Their keys are also erased and may be reused. So the target ledger erases these customers before the first
/// line is written, regardless of the order of lines and pages.
struct ImportedErasures: Sendable {
  private enum Step: Sendable {
    case merge(from: CustomerNumber, into: CustomerNumber)
    case unmerge(CustomerNumber, from: CustomerNumber)
    case erasure(TransactionNumber, CustomerNumber)
  }

  /// In journal order; includes merges, since an erasure reaches all merged customers.
  private var steps: [Step] = []
  private(set) var isEmpty = true

  mutating func note(_ transaction: ImportedTransaction) {
    if let other = transaction.merged {
      let customer = transaction.row.customer
      steps.append(
        transaction.row.kind == .unmerge ? .unmerge(customer, from: other) : .merge(from: other, into: customer))
    }
    guard transaction.row.kind == .erase else { return }
    steps.append(.erasure(transaction.row.number, transaction.row.customer))
    isEmpty = false
  }

  /// Returns the rows that the target ledger erases: those of erased customers that it still names.
  func rows(in snapshot: any StorageSnapshot) throws(LedgerError) -> (erasures: [ErasureRow], customers: [CustomerRow])
  {
    let salt = try snapshot.project().salt
    var parts: [CustomerNumber: [CustomerNumber]] = [:]
    func members(of customer: CustomerNumber) throws(LedgerError) -> [CustomerNumber] {
      if let known = parts[customer] { return known }
      return [customer] + (try snapshot.mergedCustomers(into: customer))
    }
    // The customers that each merge of the increment added.
    var brought: [CustomerNumber: [CustomerNumber]] = [:]
    func members(broughtBy customer: CustomerNumber) throws(LedgerError) -> [CustomerNumber] {
      if let known = brought[customer] { return known }
      let followers = try MergeRules.followers(of: customer) { (number) throws(LedgerError) in
        try snapshot.merges(into: number).map { (row) throws(LedgerError) in
          let transaction = try snapshot.transaction(row.transaction, of: row.into)
          return MergeRecord(row: row, isUnmerge: transaction?.kind == .unmerge)
        }
      }
      return [customer] + followers
    }
    var (erasures, customers): ([ErasureRow], [CustomerRow]) = ([], [])
    for step in steps {
      switch step {
      case .merge(let from, let into):
        brought[from] = try members(of: from)
        parts[into] = try members(of: into) + members(of: from)
        parts[from] = []
      case .unmerge(let customer, let survivor):
        let back = try members(broughtBy: customer)
        parts[survivor] = try members(of: survivor).filter { !back.contains($0) }
        parts[customer] = back
      case .erasure(let transaction, let customer):
        var erasure = ErasureRow(transaction: transaction, numbers: [], ids: [], former: [], added: [])
        for number in try members(of: customer) {
          guard var row = try snapshot.customer(number: number), !row.isErased(salt: salt) else { continue }
          erasure.numbers.append(number)
          erasure.former.append(row.id)
          erasure.added += try snapshot.addedIDs(of: number).map { AddedIDRow(customer: number, id: $0) }
          row.id = CustomerID(ofErased: number, salt: salt)
          row.frozenReason = nil
          erasure.ids.append(row.id)
          customers.append(row)
        }
        if !erasure.numbers.isEmpty { erasures.append(erasure) }
      }
    }
    return (erasures, customers)
  }
}
