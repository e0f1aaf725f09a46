#if PostgreSQL
internal import GemLedger

// A group's beginning: one round trip locks its lanes and brings the customers, their accounts and the first of their
// lots. Store transactions are claimed with it. Only commands that touch more than one customer need a second one.

/// The beginning of a group: the rows that its commands ask for, and whether their lanes are still the right ones.
struct GroupPrefetch: SessionPart {
  let session: PostgresSession

  /// - Returns: The indexes of commands that belong to other lanes by now.
  func prefetch(_ commands: [LedgerCommand]) throws(LedgerError) -> [Int] {
    guard let group else { return [] }
    let footprints = commands.map(\.footprint)
    let ids = Self.ids(of: commands, footprints)
    let known = memory.directory.addresses(of: ids)
    let unknown = zip(ids, known).filter { $1 == nil }.map(\.0)
    let claims = try storeClaims.claims(of: footprints)
    let strangers = earlierReads.wantEarlier(by: commands, footprints)
    // A merge may have been undone by another process since it was remembered: the part's own row tells.
    let survivingCustomers = Set(known.compactMap { $0 }.flatMap { [$0.survivingCustomer, $0.original] })
      .union(earlierReads.customersOfEarlier())
      .subtracting(prefetched?.fetched ?? []).sorted()
    let customers = customerQueries.question(for: survivingCustomers)
    var requests = customers.requests
    if !unknown.isEmpty {
      requests.append(
        PostgresRequest("SELECT id, customer FROM aliases WHERE id = ANY($1)") {
          $0.add(unknown, text: \.text)
        })
    }
    let keys = keyQueries.keys(
      of: commands, Dictionary(zip(ids, known.map { $0?.survivingCustomer })) { first, _ in first })
    requests += keys.map(keyQueries.question)
    let locating = EarlierReads.locating(strangers, isDistributed: layout.isDistributed)
    let claimed = storeClaims.claimQuestions(claims, of: footprints)
    let booked = claimed + earlierReads.earlierQueries() + groupReads.countQuestions(footprints, of: survivingCustomers)
    var answers = try ask(requests + locating + booked.flatMap(\.requests))[...]
    customerQueries.keep(customers, &answers)
    for (id, address) in zip(ids, known) where address != nil { prefetched?.addresses[id] = address }
    let late = unknown.isEmpty ? nil : answers.removeFirst()
    for asked in keys { try keyQueries.keep(keys: asked, answers.removeFirst()) }
    let located = locating.flatMap { _ in EarlierReads.located(answers.removeFirst()) }
    try earlierReads.keep(booked, &answers)
    if let late { try keepUnknown(unknown, late, commands) }
    try keepDoubtful(commands)
    if footprints.contains(where: { $0?.transactions.isEmpty == false }) {
      earlierReads.wantLocated(located, by: commands, footprints)
      try earlierReads.completeEarlier()
    }
    try refundedPurchases.fetch(commands, footprints)
    return try misrouted(commands, footprints, lanes: group.lanes)
  }

  private static func ids(of commands: [LedgerCommand], _ footprints: [LedgerCommand.Footprint?]) -> [CustomerID] {
    var ids: Set<CustomerID> = []
    for (command, footprint) in zip(commands, footprints) {
      if footprint?.subject.isNamed ?? true { ids.insert(command.customer) }
      for id in footprint?.customers ?? [] { ids.insert(id) }
    }
    return Array(ids)
  }

  private func fetch(
    _ numbers: [CustomerNumber], with questions: [[Prefetched.KeyAddress]] = []
  ) throws(LedgerError) {
    let missing = Set(numbers).filter { prefetched?.fetched.contains($0) == false }.sorted()
    guard !missing.isEmpty else { return }
    let customers = customerQueries.question(for: missing)
    var answers = try ask(customers.requests + questions.map(keyQueries.question))[...]
    customerQueries.keep(customers, &answers)
    for (asked, rows) in zip(questions, answers) { try keyQueries.keep(keys: asked, rows) }
  }

  /// Looks up ids that were unknown when the commands found their lanes: unused ones, or ones added since.
  ///
  /// With only one lane there is no look-up of lanes, and each id is unknown here the first time.
  private func keepUnknown(
    _ ids: [CustomerID], _ rows: PostgresRows, _ commands: [LedgerCommand]
  ) throws(LedgerError) {
    var origins: [CustomerID: CustomerNumber] = [:]
    for row in 0..<rows.count { origins[CustomerID(unchecked: rows.text(row, 0))] = rows.integer(row, 1) }
    try fetch(Array(origins.values), with: keyQueries.keys(of: commands, origins.mapValues { $0 }))
    for id in ids {
      guard let original = origins[id] else {
        prefetched?.addresses[id] = .some(nil)
        continue
      }
      let survivingCustomer = prefetched?.customers[original]?.mergedInto ?? 0
      let address = CustomerDirectory.CustomerAddress(
        original: original, survivingCustomer: survivingCustomer == 0 ? original : survivingCustomer)
      prefetched?.addresses[id] = address
      memory.directory.remember([(id, address)])
    }
    try fetch(prefetched?.addresses.values.compactMap { $0?.survivingCustomer } ?? [])
  }

  /// Looks up remembered ids of customers that were erased since, or that are missing: unused ones, or another
  /// customer's.
  private func keepDoubtful(_ commands: [LedgerCommand]) throws(LedgerError) {
    guard let prefetched, !prefetched.erased.isEmpty || prefetched.customers.count != prefetched.fetched.count else {
      return
    }
    let ids =
      prefetched.addresses.compactMap { id, address in
        guard let address else { return nil }
        guard let row = prefetched.customers[address.survivingCustomer] else { return id }
        return prefetched.erased.contains(address.survivingCustomer) && row.id != id ? id : nil
      } as [CustomerID]
    guard !ids.isEmpty else { return }
    for id in ids { memory.directory.forget(id) }
    let rows = try rows("SELECT id, customer FROM aliases WHERE id = ANY($1)") { $0.add(ids, text: \.text) }
    try keepUnknown(ids, rows, commands)
    // An id with a missing customer is damage. Its own command reports that, and the commands of other customers do
    // not.
    for case (let id, .some(let address)) in self.prefetched?.addresses ?? [:]
    where self.prefetched?.customers[address.survivingCustomer] == nil {
      memory.directory.forget(id)
      self.prefetched?.addresses.removeValue(forKey: id)
    }
  }

  // MARK: Lanes of commands

  /// Returns the commands that belong to other lanes by now.
  private func misrouted(
    _ commands: [LedgerCommand], _ footprints: [LedgerCommand.Footprint?], lanes: [Int]
  ) throws(LedgerError) -> [Int] {
    var misrouted: [Int] = []
    for index in commands.indices where try !belongs(commands[index], footprints[index], lanes) {
      misrouted.append(index)
    }
    return misrouted
  }

  private func belongs(
    _ command: LedgerCommand, _ footprint: LedgerCommand.Footprint?, _ lanes: [Int]
  ) throws(LedgerError) -> Bool {
    if footprint?.subject.isNamed ?? true, !belongs(command.customer, lanes) { return false }
    guard let footprint else { return true }
    for number in footprint.transactions {
      guard let address = prefetched?.booked.addresses[number] else { continue }
      if !lanes.contains(layout.lane(of: address.survivingCustomer)) { return false }
    }
    for id in footprint.customers where !belongs(id, lanes) { return false }
    if footprint.splitsOff, let known = prefetched?.addresses[command.customer], let address = known,
      !lanes.contains(layout.lane(of: address.original))
    {
      return false
    }
    var others: [CustomerNumber] = []
    if footprint.subject.isOfPurchase {
      for claim in footprint.purchases { others += try holders(of: claim, footprint.subject) }
    }
    if let code = footprint.order, let order = try session.order(code) { others.append(order.customer) }
    for number in others {
      try fetch([number])
      let survivingCustomer = prefetched?.customers[number]?.mergedInto ?? 0
      if survivingCustomer != 0 { try fetch([survivingCustomer]) }
      if !lanes.contains(layout.lane(of: survivingCustomer == 0 ? number : survivingCustomer)) { return false }
    }
    return true
  }

  /// Returns whether the id's customer is in one of the lanes and was not merged.
  private func belongs(_ id: CustomerID, _ lanes: [Int]) -> Bool {
    guard let known = prefetched?.addresses[id], let address = known else { return true }
    guard lanes.contains(layout.lane(of: address.survivingCustomer)) else { return false }
    guard let row = prefetched?.customers[address.survivingCustomer] else {
      memory.directory.forget(id)
      return false
    }
    guard row.mergedInto != 0 else { return isCurrent(address, of: id) }
    memory.directory.remember([
      (id, CustomerDirectory.CustomerAddress(original: address.original, survivingCustomer: row.mergedInto))
    ])
    return false
  }

  /// Returns whether the id's own customer is part of that survivor still; otherwise the right one is remembered.
  private func isCurrent(_ address: CustomerDirectory.CustomerAddress, of id: CustomerID) -> Bool {
    guard address.original != address.survivingCustomer, let row = prefetched?.customers[address.original] else {
      return true
    }
    let now = CustomerDirectory.CustomerAddress(original: address.original, mergedInto: row.mergedInto)
    guard now != address else { return true }
    memory.directory.correct(id, to: now)
    return false
  }

  /// Returns the customer that a purchase was credited to, and the entitlement owner where that matters.
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
#endif
