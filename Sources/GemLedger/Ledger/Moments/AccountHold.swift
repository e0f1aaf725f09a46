/// The amount of one account in an open hold.
package struct AccountHold {
  package struct Lot {
    package let lot: LotNumber
    package let amount: Int64
    package let expiresAt: Int64
  }

  /// The transaction that began the hold.
  package let number: TransactionNumber
  package let deadline: Timestamp
  package let lots: [Lot]

  package var amount: Int64 { lots.reduce(0) { $0 + $1.amount } }

  init(
    _ row: HoldRow, _ parts: [HeldPart], of account: AccountNumber, in snapshot: any StorageSnapshot
  ) throws(LedgerError) {
    number = row.number
    deadline = row.deadline
    var lots: [Lot] = []
    for part in parts.sorted(by: { $0.lot < $1.lot }) where part.account == account {
      let attributes = try snapshot.lotAttributes(part.lot, of: account.customer)
      lots.append(Lot(lot: part.lot, amount: part.amount, expiresAt: attributes?.expiresAt ?? .max))
    }
    self.lots = lots
  }

  /// Returns the open holds of an account, from the account's current rows.
  package static func open(of account: AccountRow, in snapshot: any StorageSnapshot) throws(LedgerError) -> [Self] {
    guard account.held != 0 else { return [] }
    let own = account.number.customer
    let owners = try CustomerFinder(snapshot).allRelated(to: own)
    var holds: [Self] = []
    for row in try snapshot.holds(of: own) {
      let events = try snapshot.events(about: row.number, ofAny: owners)
      let hold = try Self(row, HoldRules.outstanding(events, of: own), of: account.number, in: snapshot)
      if hold.amount != 0 { holds.append(hold) }
    }
    return holds
  }
}
