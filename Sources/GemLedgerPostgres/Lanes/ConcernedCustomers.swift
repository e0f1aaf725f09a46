#if PostgreSQL
internal import GemLedger

/// Finds the customers that the purchases of commands concern, before a group gets its lanes.
struct ConcernedCustomers: SessionPart {
  let session: PostgresSession

  /// Returns the current customers of credited purchases, and entitlement owners if the command needs them.
  func customersConcerned(
    by footprints: [LedgerCommand.Footprint?]
  ) throws(LedgerError) -> [LedgerCommand.PurchaseClaim: Set<CustomerNumber>] {
    let footprints = footprints.compactMap { $0 }.filter(\.subject.isOfPurchase)
    let withHolders = Set(footprints.filter { $0.subject == .holder }.flatMap(\.purchases))
    let identities = try identities(of: footprints.flatMap(\.purchases))
    let wanted = Dictionary(identities.map { ($1, $0) }) { first, _ in first }
    if wanted.isEmpty { return [:] }
    let credited = try all(PurchaseIdentity.credits(ofAny: Array(wanted.keys))) {
      ($0.purchaseIdentity($1), $0.storeClaim($1))
    }
    memory.directory.remember(credited, since: epoch)
    var concerned: [LedgerCommand.PurchaseClaim: Set<CustomerNumber>] = [:]
    var entitling: [Int64: LedgerCommand.PurchaseClaim] = [:]
    for (identity, held) in credited {
      guard let claim = wanted[identity] else { continue }
      concerned[claim, default: []].insert(held.customer)
      if withHolders.contains(claim) { entitling[held.purchase] = claim }
    }
    if !entitling.isEmpty {
      for (purchase, holder) in try session.entitlementHolders(of: entitling.keys.map { RowAddress($0, of: nil) }) {
        if let claim = entitling[purchase] { concerned[claim, default: []].insert(holder) }
      }
    }
    let customers = try session.customers(Array(Set(concerned.values.joined())))
    return concerned.mapValues { numbers in
      Set(numbers.map { number in customers[number].flatMap { $0.mergedInto == 0 ? nil : $0.mergedInto } ?? number })
    }
  }

  func survivingCustomer(of customer: CustomerNumber) throws(LedgerError) -> CustomerNumber {
    guard let row = try session.customer(number: customer), row.mergedInto != 0 else { return customer }
    return row.mergedInto
  }
}

extension LedgerCommand.Footprint.Subject {
  /// Whether a purchase determines the customer that the command concerns.
  var isOfPurchase: Bool { self == .owner || self == .holder }
}
#endif
