internal import GemLedger

/// Finds ids without their customer and customers without their id, a page at a time.
struct IDFinder {
  private let snapshot: any StorageSnapshot
  private(set) var changes = IDChanges()
  private(set) var repair = IDRepair()
  /// Customers with an id that belongs to another customer.
  private var nameless: [CustomerNumber: CustomerRow] = [:]

  init(_ snapshot: any StorageSnapshot) { self.snapshot = snapshot }

  /// Checks every customer and every id.
  mutating func findAll() throws(LedgerError) {
    try CustomerRow.eachPage(in: snapshot) { (page) throws(LedgerError) in
      try findUnnamed(page)
    }
    let scan = try snapshot.scan()
    try scan.pages { (page: [AddedIDRow]) throws(LedgerError) in
      try findStrays(page)
    }
  }

  /// Checks the findings of another run again: a writer must not rely on an older snapshot.
  mutating func find(again changes: IDChanges) throws(LedgerError) {
    let rows = try snapshot.customers(changes.named.map(\.customer).distinct())
    try findUnnamed(rows.values.sorted { $0.number < $1.number })
    try findStrays(changes.removed)
  }

  // MARK: Customers without their ids

  private mutating func findUnnamed(_ rows: [CustomerRow]) throws(LedgerError) {
    let added = try snapshot.addedIDs(of: rows.map(\.number))
    let named = try snapshot.customers(named: rows.flatMap { [$0.id] + (added[$0.number] ?? []) })
    for row in rows {
      for id in [row.id] + (added[row.number] ?? []) where named[id]?.original != row.number {
        let wanted = AddedIDRow(customer: row.number, id: id)
        if let other = named[id]?.original, try has(other, id) {
          ask(about: row, wanted, other)
        } else {
          changes.named.append(wanted)
          repair.steps.append(IDRepair.Step(action: .named, id: id, customer: row.number))
        }
      }
    }
  }

  private func has(_ customer: CustomerNumber, _ id: CustomerID) throws(LedgerError) -> Bool {
    if try snapshot.customer(number: customer)?.id == id { return true }
    return try snapshot.addedIDs(of: customer).contains(id)
  }

  private mutating func ask(about row: CustomerRow, _ wanted: AddedIDRow, _ other: CustomerNumber) {
    let (id, number) = (wanted.id, wanted.customer)
    let isOwn = row.id == id
    if isOwn { nameless[number] = row }
    let hint =
      isOwn
      ? "Choose another id for it (gemctl storage repair --id \(number)=ID), and merge them if they are one person."
      : "It was added as an alias; if the two customers are one person, merge them."
    repair.questions.append(
      IDRepair.Question(
        id: id, customer: number,
        message: "The id \"\(id)\" of customer number \(number) also belongs to customer number \(other), "
          + "which it names. \(hint)"))
  }

  // MARK: Ids without their customers

  private mutating func findStrays(_ ids: [AddedIDRow]) throws(LedgerError) {
    let customers = try snapshot.customers(ids.map(\.customer).distinct())
    let others = ids.filter { customers[$0.customer]?.id != $0.id }
    let added = try snapshot.addedIDs(of: others.map(\.customer).distinct())
    for row in others where added[row.customer]?.contains(row.id) != true {
      if customers[row.customer] == nil, try hasRemains(row.customer) {
        repair.questions.append(
          IDRepair.Question(
            id: row.id, customer: row.customer,
            message: "The id \"\(row.id)\" names customer number \(row.customer), which has bookings but no row. "
              + "Restore the storage from a backup."))
      } else {
        changes.removed.append(row)
        repair.steps.append(IDRepair.Step(action: .removed, id: row.id, customer: row.customer))
      }
    }
  }

  /// Whether anything was booked under the number of a customer without a row.
  private func hasRemains(_ customer: CustomerNumber) throws(LedgerError) -> Bool {
    if try !snapshot.accounts(of: customer).isEmpty { return true }
    return try !snapshot.transactionsWithoutEntries(of: customer, below: .max, limit: 1).isEmpty
  }

  // MARK: Names

  /// Gives customers the ids that an operator chose for them.
  mutating func name(_ names: [CustomerNumber: CustomerID]) throws(LedgerError) {
    for (number, id) in names.sorted(by: { $0.key < $1.key }) {
      guard let row = nameless[number] else {
        throw .invalid("Customer number \(number) needs no other id: no other customer has its id.")
      }
      guard try snapshot.customers(named: [id]).isEmpty else {
        throw LedgerError(.alreadyExists, "The id \"\(id)\" belongs to a customer already. Choose another id.")
      }
      changes.named.append(AddedIDRow(customer: number, id: id))
      changes.renamed.append(RenamedCustomer(row: row, id: id))
      repair.steps.append(IDRepair.Step(action: .renamed, id: id, customer: number))
      repair.questions.removeAll { $0.customer == number && $0.id == row.id }
    }
  }
}
