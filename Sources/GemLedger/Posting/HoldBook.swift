/// The open holds of a group's customers, as the group left them.
struct HoldBook: ~Copyable {
  private let scope: GroupScope
  private var holds: [TransactionNumber: HoldRow] = [:]
  private var endedHolds: [TransactionNumber: HoldRow] = [:]

  init(_ scope: GroupScope) { self.scope = scope }

  mutating func removeAll() {
    if !holds.isEmpty { holds.removeAll() }
    if !endedHolds.isEmpty { endedHolds.removeAll() }
  }

  func collect(into changes: inout ChangeSet) {
    if !holds.isEmpty { changes.ownCold.holds = holds.values.sorted { $0.number < $1.number } }
    if !endedHolds.isEmpty { changes.ownCold.endedHolds = endedHolds.values.sorted { $0.number < $1.number } }
  }

  func hold(_ number: TransactionNumber, ofAny owners: [CustomerNumber]) throws(LedgerError) -> HoldRow? {
    if endedHolds[number] != nil { return nil }
    if let own = holds[number] { return own }
    return try scope.session.hold(number, ofAny: owners)
  }

  /// All open ones of the customer, those that end first before the others.
  func all(of customer: CustomerNumber) throws(LedgerError) -> [HoldRow] {
    let stored = try scope.session.holds(of: customer)
    guard !holds.isEmpty || !endedHolds.isEmpty else { return stored }
    let rest = stored.filter { holds[$0.number] == nil && endedHolds[$0.number] == nil }
    return (rest + holds.values.filter { $0.customer == customer })
      .sorted { ($0.deadline, $0.number) < ($1.deadline, $1.number) }
  }

  mutating func set(_ row: HoldRow) { holds[row.number] = row }

  mutating func end(_ row: HoldRow) {
    holds[row.number] = nil
    endedHolds[row.number] = row
  }

  /// Shows, at a past instant, exactly these of the customer's holds.
  mutating func restore(_ past: [HoldRow], of customer: CustomerNumber) throws(LedgerError) {
    for row in try scope.session.holds(of: customer) { end(row) }
    for row in past {
      endedHolds[row.number] = nil
      set(row)
    }
  }
}
