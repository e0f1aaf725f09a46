#if PostgreSQL
internal import GemLedger

// A group's beginning: one round trip locks its lanes, claims its store transactions and reads the first guess.

/// The beginning of a group: the first look-ups, and whether its commands still belong to its lanes.
struct GroupPrefetch: SessionPart {
  let session: PostgresSession

  /// - Returns: The indexes of commands that now belong to other lanes.
  func prefetch(_ commands: [LedgerCommand], _ rows: GroupRows) throws(LedgerError) -> [Int] {
    guard let group else { return [] }
    rows.isDeciding = false
    let footprints = commands.map(\.footprint)
    let claims = try storeClaims.claims(of: footprints)
    rows.wantFirst(commands, footprints)
    _ = try rows.load(with: storeClaims.claimQuestions(claims, of: footprints))
    rows.isDeciding = true
    while true {
      do throws(LedgerError) {
        return try misrouted(commands, footprints, lanes: group.lanes, rows)
      } catch {
        guard error == .rowsMissing else { throw error }
        guard try rows.load() else { throw .defect("Lanes were looked up, and there are no more rows to load") }
      }
    }
  }

  // MARK: Lanes of commands

  /// Returns the commands that now belong to other lanes.
  private func misrouted(
    _ commands: [LedgerCommand], _ footprints: [LedgerCommand.Footprint?], lanes: [Int], _ rows: GroupRows
  ) throws(LedgerError) -> [Int] {
    let belong = try commands.indices.gather { (index) throws(LedgerError) in
      try belongs(commands[index], footprints[index], lanes, rows)
    }
    return zip(commands.indices, belong).filter { !$1 }.map(\.0)
  }

  private func belongs(
    _ command: LedgerCommand, _ footprint: LedgerCommand.Footprint?, _ lanes: [Int], _ rows: GroupRows
  ) throws(LedgerError) -> Bool {
    if footprint?.subject.isNamed ?? true, try !belongs(command.customer, lanes, rows) { return false }
    guard let footprint else { return true }
    for id in footprint.customers where try !belongs(id, lanes, rows) { return false }
    if footprint.splitsOff, let address = try rows.address(of: command.customer),
      !lanes.contains(layout.lane(of: address.original))
    {
      return false
    }
    var others: [CustomerNumber] = []
    for number in footprint.transactions {
      if let found = try rows.located.first(number) { others.append(found.row.customer) }
    }
    if footprint.subject.isOfPurchase {
      for claim in footprint.purchases { others += try holders(of: claim, footprint.subject) }
    }
    if let code = footprint.order, let order = try session.order(code) { others.append(order.customer) }
    for number in others {
      let mergedInto = try rows.customers.first(number)?.mergedInto ?? 0
      if !lanes.contains(layout.lane(of: mergedInto == 0 ? number : mergedInto)) { return false }
    }
    return true
  }

  /// Returns whether the id's customer is in one of the lanes and was not merged.
  private func belongs(_ id: CustomerID, _ lanes: [Int], _ rows: GroupRows) throws(LedgerError) -> Bool {
    guard let address = try rows.address(of: id) else { return true }
    guard let row = try rows.customers.first(address.survivingCustomer) else {
      // An id with a missing customer is damage. Its command reports that; the commands of others do not.
      memory.directory.forget(id)
      return true
    }
    guard lanes.contains(layout.lane(of: address.survivingCustomer)) else { return false }
    guard row.mergedInto != 0 else { return try isCurrent(address, of: id, rows) }
    let survivor = CustomerDirectory.CustomerAddress(original: address.original, survivingCustomer: row.mergedInto)
    memory.directory.remember([(id, survivor)], since: epoch)
    return false
  }

  /// Returns whether the id's customer is still part of that survivor; otherwise corrects the cache.
  private func isCurrent(
    _ address: CustomerDirectory.CustomerAddress, of id: CustomerID, _ rows: GroupRows
  ) throws(LedgerError) -> Bool {
    guard address.original != address.survivingCustomer, let row = try rows.customers.first(address.original) else {
      return true
    }
    let now = CustomerDirectory.CustomerAddress(original: address.original, mergedInto: row.mergedInto)
    guard now != address else { return true }
    memory.directory.correct(id, to: now, since: epoch)
    return false
  }

  /// Returns the customer that a purchase was credited to, and the entitlement owner if needed.
  private func holders(
    of claim: LedgerCommand.PurchaseClaim, _ subject: LedgerCommand.Footprint.Subject
  ) throws(LedgerError) -> [CustomerNumber] {
    guard let held = storeClaims.storeClaim(claim), held.purchase != 0 else { return [] }
    guard subject == .holder, let holder = try session.entitlementHolder(purchase: held.purchase) else {
      return [held.customer]
    }
    return [held.customer, holder]
  }
}

extension GroupRows {
  /// Returns the customer that the id names, as read from the customer's row; nil for an unused id.
  func address(of id: CustomerID) throws(LedgerError) -> CustomerAddress? {
    if let known = addresses[id] { return known }
    if let known = remembered[id] {
      if let row = try customers.first(known.survivingCustomer), row.id == id || !erased.contains(row.number) {
        addresses[id] = known
        return known
      }
      // The customer was erased since, or is missing: the id is unused or belongs to another customer.
      memory.directory.forget(id)
      remembered[id] = nil
    }
    guard let original = try aliases.first(id) else {
      addresses[id] = .some(nil)
      return nil
    }
    let row = try customers.first(original)
    let address = CustomerAddress(original: original, mergedInto: row?.mergedInto ?? 0)
    if row != nil { memory.directory.remember([(id, address)], since: epoch) }
    addresses[id] = address
    return address
  }

  func found(_ id: CustomerID) throws(LedgerError) -> FoundCustomer? {
    guard let address = try address(of: id) else { return nil }
    guard let row = try customers.first(address.survivingCustomer) else {
      throw LedgerError(
        .storageDamaged, "\(storageName) has no customer \(address.survivingCustomer), which an id names. Run verify.")
    }
    return FoundCustomer(row, original: address.original)
  }
}
#endif
