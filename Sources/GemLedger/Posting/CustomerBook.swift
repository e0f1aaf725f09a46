/// The customers of a group: those that it made, renamed, merged, or erased.
struct CustomerBook: ~Copyable {
  private let scope: GroupScope
  /// The customers that the group made.
  private(set) var made: [CustomerRow] = []
  private var new: [CustomerID: Int] = [:]
  private var changed: [CustomerNumber: CustomerRow] = [:]
  private var addedIDs: [CustomerID: CustomerNumber] = [:]
  private var addedRows: [AddedIDRow] = []
  private var merges: [MergeRecord] = []
  private var erasedIDs: Set<CustomerID> = []
  /// Whether the group changed what an id names, other than by making a customer.
  private var hasChanges = false

  private var lastNumber: CustomerNumber?

  init(_ scope: GroupScope) { self.scope = scope }

  /// Makes a book without changes: its reads return the stored rows.
  init(reading snapshot: any StorageSnapshot) { self.init(GroupScope(reading: snapshot)) }

  mutating func removeAll() {
    made.removeAll(keepingCapacity: true)
    lastNumber = nil
    if !new.isEmpty { new.removeAll() }
    guard hasChanges else { return }
    changed.removeAll()
    addedIDs.removeAll()
    addedRows.removeAll()
    merges.removeAll()
    erasedIDs.removeAll()
    hasChanges = false
  }

  mutating func collect(into changes: inout ChangeSet) {
    swap(&made, &changes.customers)
    guard hasChanges else { return }
    changes.ownCold.changedCustomers = changed.values.sorted { $0.number < $1.number }
    changes.ownCold.addedIDs = addedRows
    changes.ownCold.merges = merges.map(\.row)
  }

  // MARK: Customers

  /// The customer of the id; nil if there is none.
  func find(_ id: CustomerID) throws(LedgerError) -> FoundCustomer? {
    if let new = newCustomer(id) { return try current(new, id) }
    return try current(try scope.session.customer(id), id)
  }

  /// The customer of the command.
  ///
  /// It changes nothing and is mutating all the same: a borrowing method may get a copy of the book with every call.
  @inline(__always)
  mutating func find(of command: LedgerCommand.Body) throws(LedgerError) -> FoundCustomer? {
    if hasChanges { return try find(command.customer) }
    if let new = newCustomer(command.customer) { return new }
    return try scope.session.customer(command.customer, hash: command.customerHash)
  }

  private func newCustomer(_ id: CustomerID) -> FoundCustomer? {
    guard !new.isEmpty, let index = new[id] else { return nil }
    return FoundCustomer(number: made[index].number, isFrozen: false)
  }

  mutating func add(_ id: CustomerID) throws(LedgerError) -> FoundCustomer {
    try checkNotErased(id)
    let row = CustomerRow(number: try scope.next(.customer, after: &lastNumber), id: id, createdAt: scope.now)
    new[id] = made.count
    made.append(row)
    return FoundCustomer(number: row.number, isFrozen: false)
  }

  /// Removes the customer that the current command made, and frees its number.
  mutating func removeNewest() {
    guard let row = made.popLast() else { return }
    new[row.id] = nil
    lastNumber = row.number - 1
  }

  func row(_ number: CustomerNumber) throws(LedgerError) -> CustomerRow? {
    if hasChanges, let changed = changed[number] { return changed }
    if let new = made.first(where: { $0.number == number }) { return new }
    return try scope.session.customer(number: number)
  }

  /// Returns the row of a customer that must exist.
  func known(_ number: CustomerNumber) throws(LedgerError) -> CustomerRow {
    guard let row = try row(number) else {
      throw LedgerError(.storageDamaged, "Customer number \(number) has no row; run verify.")
    }
    return row
  }

  /// Returns the row of the customer, or of the customer that it was merged into.
  func survivor(of number: CustomerNumber) throws(LedgerError) -> CustomerRow {
    let row = try known(number)
    return row.mergedInto == 0 ? row : try known(row.mergedInto)
  }

  /// The customer as the group left it; the number may be of a merged customer.
  func found(_ original: CustomerNumber) throws(LedgerError) -> FoundCustomer {
    FoundCustomer(try survivor(of: original), original: original)
  }

  /// Returns the customer that the id names after the group's changes, given the customer that it named before.
  private func current(_ found: FoundCustomer?, _ id: CustomerID) throws(LedgerError) -> FoundCustomer? {
    guard hasChanges else { return found }
    if erasedIDs.contains(id) { return nil }
    guard let found else {
      guard let original = addedIDs[id] else { return nil }
      return try self.found(original)
    }
    let isChanged = changed[found.number] != nil || changed[found.original] != nil
    return isChanged ? try self.found(found.original) : found
  }

  mutating func change(_ row: CustomerRow) {
    changed[row.number] = row
    hasChanges = true
  }

  // MARK: Ids

  mutating func add(_ id: CustomerID, to customer: CustomerNumber) {
    addedIDs[id] = customer
    addedRows.append(AddedIDRow(customer: customer, id: id))
    hasChanges = true
  }

  /// All ids of the customer, with those that the group added.
  func ids(of customer: CustomerNumber) throws(LedgerError) -> [CustomerID] {
    try numbers(of: customer).gather { (number) throws(LedgerError) in
      [try known(number).id] + (try scope.session.addedIDs(of: number))
        + addedIDs.filter { $0.value == number }.map(\.key)
    }.flatMap { $0 }
  }

  /// Erases ids, and those that the group added to the customers.
  mutating func erase(_ ids: [CustomerID], addedTo customers: [CustomerNumber]) {
    erasedIDs.formUnion(ids)
    for (id, owner) in addedIDs where customers.contains(owner) {
      addedIDs[id] = nil
      erasedIDs.insert(id)
    }
    addedRows.removeAll { customers.contains($0.customer) }
    hasChanges = true
  }

  /// Checks that the current group has not erased the id; such an id is free for the next group.
  ///
  /// - Throws: `in_progress`.
  func checkNotErased(_ id: CustomerID) throws(LedgerError) {
    guard hasChanges, erasedIDs.contains(id) else { return }
    throw LedgerError(.inProgress, "The customer \"\(id)\" is being erased. Ask again.")
  }

  // MARK: Merges

  /// All numbers of this customer, beginning with the current number.
  func numbers(of customer: CustomerNumber) throws(LedgerError) -> [CustomerNumber] {
    if let moment = scope.moment, moment.customer == customer { return moment.numbers }
    var others = try scope.session.mergedCustomers(into: customer).filter { changed[$0] == nil }
    others += changed.values.filter { $0.mergedInto == customer }.map(\.number)
    return [customer] + others.sorted()
  }

  /// All numbers of this customer, without a read if no customer was merged into it.
  func numbers(of customer: FoundCustomer) throws(LedgerError) -> [CustomerNumber] {
    customer.isOneOfSeveral ? try numbers(of: customer.number) : [customer.number]
  }

  mutating func add(_ merge: MergeRow, isUnmerge: Bool) {
    merges.append(MergeRecord(row: merge, isUnmerge: isUnmerge))
    hasChanges = true
  }

  /// The merges into the number and the unmerges that split it off, oldest first.
  func merges(into number: CustomerNumber) throws(LedgerError) -> [MergeRow] {
    try scope.session.merges(into: number) + merges.map(\.row).filter { $0.into == number }
  }

  /// The merges into the number and the unmerges that split it off, with their kind, oldest first.
  func mergeRecords(of number: CustomerNumber) throws(LedgerError) -> [MergeRecord] {
    let records = try scope.session.merges(into: number).gather { (row) throws(LedgerError) in
      guard let transaction = try scope.session.transaction(row.transaction, of: row.into) else {
        throw .lacksTransaction(row.transaction)
      }
      return MergeRecord(row: row, isUnmerge: transaction.kind == .unmerge)
    }
    return records + merges.filter { $0.row.into == number }
  }

  /// The unmerges that split the customer off or split others off it; none for most, without a read.
  func unmerges(of customer: FoundCustomer) throws(LedgerError) -> [MergeRow] {
    guard try isParted(customer) else { return [] }
    return try mergeRecords(of: customer.number).filter(\.isUnmerge).map(\.row)
  }

  /// The customers that this one or a part of it belonged to before unmerges; none for most, without a read.
  func formerSurvivors(of customer: FoundCustomer) throws(LedgerError) -> [MergeRules.FormerSurvivor] {
    guard try isParted(customer) else { return [] }
    return try MergeRules.formerSurvivors(of: numbers(of: customer)) { (numbers) throws(LedgerError) in
      try numbers.gather { (number) throws(LedgerError) in try mergeRecords(of: number) }
    }
  }

  /// Whether an unmerge split the customer off, or another off it; false for most, without a read.
  func isParted(_ customer: FoundCustomer) throws(LedgerError) -> Bool {
    // The moment of a past instant already has all numbers under which rows may be stored.
    guard customer.isOneOfSeveral, scope.moment?.customer != customer.number else { return false }
    return try known(customer.number).merged != Int64(try numbers(of: customer.number).count) - 1
  }

  /// The numbers under which rows that concern the customer may be stored: its current numbers, and after an unmerge
  /// those of the customers with which it was merged before.
  func related(to customer: FoundCustomer) throws(LedgerError) -> [CustomerNumber] {
    let members = try numbers(of: customer)
    guard try isParted(customer) else { return members }
    return try MergeRules.related(to: members) { (number) throws(LedgerError) in try merges(into: number) }
  }

  /// The related numbers of one number.
  func related(to number: CustomerNumber) throws(LedgerError) -> [CustomerNumber] {
    try related(to: FoundCustomer(try known(number), original: number))
  }
}
