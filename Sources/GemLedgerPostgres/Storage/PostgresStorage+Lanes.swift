#if PostgreSQL
package import GemLedger

extension PostgresStorage {
  package func knownLanes(of command: LedgerCommand) -> [Int]? {
    guard let footprint = command.footprint, !footprint.staysWithCustomer else {
      return memory.directory.addresses(of: [command.customer])[0].map { [layout.lane(of: $0.survivingCustomer)] }
    }
    // Queries find the other affected customers.
    guard !footprint.needsRows else { return nil }
    var lanes: Set<Int> = []
    for address in memory.directory.addresses(of: footprint.ids(of: command)) {
      guard let address else { return nil }
      lanes.insert(layout.lane(of: address.survivingCustomer))
      if footprint.splitsOff { lanes.insert(layout.lane(of: address.original)) }
    }
    for found in memory.directory.located(footprint.transactions) {
      guard let found else { return nil }
      lanes.insert(layout.lane(of: found.address.survivingCustomer))
    }
    return lanes.isEmpty ? nil : lanes.sorted()
  }

  /// Finds the lanes of each command from cached customers, and looks the others up in one query.
  ///
  /// It waits for a restarting server, as the group will. It does so outside of ``read(_:)``, so that readers do not
  /// wait for waiting writers.
  package func lanes(of commands: [LedgerCommand]) throws(LedgerError) -> [[Int]] {
    var retryPolicy = RetryPolicy(limit: recovery.retryPolicy)
    while true {
      do throws(LedgerError) {
        return try findLanes(of: commands)
      } catch {
        guard error.isOfLostConnection, !hasEnded, retryPolicy.goesOn(after: .lost(error.message)) else { throw error }
      }
    }
  }

  /// The customers of commands' ids and transactions, if they have one.
  private struct KnownAddresses {
    var ids: [CustomerID: CustomerDirectory.CustomerAddress] = [:]
    var transactions: [TransactionNumber: CustomerDirectory.CustomerAddress] = [:]
  }

  private func findLanes(of commands: [LedgerCommand]) throws(LedgerError) -> [[Int]] {
    let footprints = commands.map(\.footprint)
    var ids: [CustomerID] = []
    var transactions: [TransactionNumber] = []
    for (command, footprint) in zip(commands, footprints) {
      guard let footprint else {
        ids.append(command.customer)
        continue
      }
      ids += footprint.ids(of: command)
      transactions += footprint.transactions
    }
    let addresses = try addresses(of: ids, transactions)
    if !footprints.contains(where: { $0?.needsRows ?? false }) {
      return zip(commands, footprints).map { lanes(of: $0, $1, addresses) }
    }
    return try read { (snapshot) throws(LedgerError) -> [[Int]] in
      guard let session = snapshot as? PostgresSession else { throw .defect("A snapshot of another storage") }
      let finder = ConcernedCustomers(session: session)
      let concerned = try finder.customersConcerned(by: footprints)
      var lanes: [[Int]] = []
      for (command, footprint) in zip(commands, footprints) {
        var others: Set<Int> = []
        for claim in footprint?.purchases ?? [] where footprint?.subject.isOfPurchase == true {
          for survivingCustomer in concerned[claim] ?? [] { others.insert(layout.lane(of: survivingCustomer)) }
        }
        if let code = footprint?.order, let order = try session.order(code) {
          others.insert(layout.lane(of: try finder.survivingCustomer(of: order.customer)))
        }
        lanes.append(self.lanes(of: command, footprint, addresses, others))
      }
      return lanes
    }
  }

  /// Finds customers in the cache, and looks the others up in one query.
  private func addresses(
    of ids: [CustomerID], _ transactions: [TransactionNumber]
  ) throws(LedgerError) -> KnownAddresses {
    var addresses = KnownAddresses()
    var unknownIDs: Set<CustomerID> = []
    for (id, address) in zip(ids, memory.directory.addresses(of: ids)) {
      if let address { addresses.ids[id] = address } else { unknownIDs.insert(id) }
    }
    var unknown: Set<TransactionNumber> = []
    for (number, found) in zip(transactions, memory.directory.located(transactions)) {
      if let found { addresses.transactions[number] = found.address } else { unknown.insert(number) }
    }
    if !unknownIDs.isEmpty || !unknown.isEmpty {
      let (foundIDs, found, epoch) = try lookUp(Array(unknownIDs), Array(unknown))
      memory.directory.remember(originals: foundIDs, since: epoch)
      memory.directory.remember(found, since: epoch)
      // The cached addresses include known merges.
      for (id, address) in zip(foundIDs.map(\.0), memory.directory.addresses(of: foundIDs.map(\.0))) {
        addresses.ids[id] = address
      }
      for found in memory.directory.located(found.map(\.row.number)) {
        if let found { addresses.transactions[found.row.number] = found.address }
      }
    }
    return addresses
  }

  /// Looks up the customers of ids and transactions, if they have one.
  ///
  /// Merges of ids are not looked up: they are few, and the group reads the customer's row when it decides the command.
  private func lookUp(
    _ ids: [CustomerID], _ transactions: [TransactionNumber]
  ) throws(LedgerError) -> ([(CustomerID, CustomerNumber)], [CustomerDirectory.LocatedTransaction], epoch: Int) {
    let locating =
      layout.cluster?.locatingInDrawingLanes(transactions) ?? LocatingStatements.requests(transactions, layout)
    let (answers, epoch) = try askOutsideOfTransactions(
      [PostgresRequest("SELECT id, customer FROM aliases WHERE id = ANY($1)", ids.map(\.text))]
        + locating)
    let found = (0..<answers[0].count).map { row in
      (CustomerID(unchecked: answers[0].text(row, 0)), answers[0].integer(row, 1))
    }
    var located = answers.dropFirst().flatMap(LocatingStatements.located)
    let missing = layout.cluster == nil ? [] : Set(transactions).subtracting(located.map(\.row.number))
    if !missing.isEmpty {
      let elsewhere = try askOutsideOfTransactions(LocatingStatements.requests(Array(missing), layout)).answers
      located += elsewhere.flatMap(LocatingStatements.located)
    }
    return (found, located, epoch)
  }

  private func lane(of id: CustomerID, _ addresses: KnownAddresses) -> Int {
    addresses.ids[id].map { layout.lane(of: $0.survivingCustomer) } ?? layout.lane(ofNew: id.text)
  }

  private func lanes(
    of command: LedgerCommand, _ footprint: LedgerCommand.Footprint?, _ addresses: KnownAddresses,
    _ others: Set<Int> = []
  ) -> [Int] {
    guard let footprint else { return [lane(of: command.customer, addresses)] }
    var lanes = others
    for id in footprint.ids(of: command) {
      lanes.insert(lane(of: id, addresses))
      if footprint.splitsOff, let address = addresses.ids[id] { lanes.insert(layout.lane(of: address.original)) }
    }
    for number in footprint.transactions {
      if let address = addresses.transactions[number] { lanes.insert(layout.lane(of: address.survivingCustomer)) }
    }
    // A refund of an uncredited purchase may be stored in any lane, and any lane may refuse a command without a known
    // name.
    return lanes.isEmpty ? [layout.lane(ofNew: command.customer.text)] : lanes.sorted()
  }
}

extension LedgerCommand.Footprint {
  /// Whether the command needs only its customer's lane.
  fileprivate var staysWithCustomer: Bool {
    customers.isEmpty && transactions.isEmpty && order == nil && subject == .customer && !splitsOff
  }

  /// Whether only rows determine the customer that the command concerns.
  fileprivate var needsRows: Bool { order != nil || subject.isOfPurchase || subject == .orderer }

  /// Returns the ids of all customers with rows that the command may write.
  fileprivate func ids(of command: LedgerCommand) -> [CustomerID] {
    (subject == .customer || subject == .holder ? [command.customer] : []) + customers
  }
}
#endif
