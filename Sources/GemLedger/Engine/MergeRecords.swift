/// Reads the merges and unmerges of customers, those of the current group included.
enum MergeRecords {
  /// The merges into the number and the unmerges that split it off, oldest first.
  static func rows(into number: CustomerNumber, _ work: borrowing UnitOfWork) throws(LedgerError) -> [MergeRow] {
    let pending = (work.changes.cold?.merges ?? []).filter { $0.into == number }
    return try work.session.merges(into: number) + pending
  }

  static func records(of number: CustomerNumber, _ work: borrowing UnitOfWork) throws(LedgerError) -> [MergeRecord] {
    var records: [MergeRecord] = []
    for row in try rows(into: number, work) {
      var transaction = work.transaction(row.transaction)
      if transaction == nil { transaction = try work.session.transaction(row.transaction, of: row.into) }
      guard let transaction else { throw .lacksTransaction(row.transaction) }
      records.append(MergeRecord(row: row, isUnmerge: transaction.kind == .unmerge))
    }
    return records
  }

  /// The unmerges that split the customer off or split others off it; none for most, without a read.
  static func unmerges(of customer: FoundCustomer, _ work: borrowing UnitOfWork) throws(LedgerError) -> [MergeRow] {
    guard try isParted(customer, work) else { return [] }
    return try records(of: customer.number, work).filter(\.isUnmerge).map(\.row)
  }

  /// The customers that this one or a part of it belonged to before unmerges; none for most, without a read.
  static func formerSurvivors(
    of customer: FoundCustomer, _ work: borrowing UnitOfWork
  ) throws(LedgerError) -> [MergeRules.FormerSurvivor] {
    guard try isParted(customer, work) else { return [] }
    return try MergeRules.formerSurvivors(of: work.numbers(of: customer)) {
      (numbers) throws(LedgerError) in
      try numbers.gather { (number) throws(LedgerError) in try records(of: number, work) }
    }
  }

  /// Whether an unmerge split the customer off, or another off it; false for most, without a read.
  static func isParted(_ customer: FoundCustomer, _ work: borrowing UnitOfWork) throws(LedgerError) -> Bool {
    // The moment of a past instant already has all numbers under which rows may be stored.
    guard customer.isOneOfSeveral, work.cold.moment?.customer != customer.number else { return false }
    let row = try work.knownCustomer(customer.number)
    return row.merged != Int64(try work.numbers(of: customer.number).count) - 1
  }

  /// The numbers under which rows that concern the customer may be stored: its current numbers, and after an unmerge
  /// those of the customers with which it was merged before.
  static func related(to customer: FoundCustomer, _ work: borrowing UnitOfWork) throws(LedgerError) -> [CustomerNumber]
  {
    let members = try work.numbers(of: customer)
    guard try isParted(customer, work) else { return members }
    var pending: [CustomerNumber: [MergeRow]] = [:]
    for row in work.changes.cold?.merges ?? [] { pending[row.into, default: []].append(row) }
    return try MergeRules.related(to: members) { (number) throws(LedgerError) in
      try work.session.merges(into: number) + (pending[number] ?? [])
    }
  }

  /// The related numbers of one number.
  static func related(to number: CustomerNumber, _ work: borrowing UnitOfWork) throws(LedgerError) -> [CustomerNumber] {
    let row = try work.knownCustomer(number)
    return try related(to: FoundCustomer(row, original: number), work)
  }
}
