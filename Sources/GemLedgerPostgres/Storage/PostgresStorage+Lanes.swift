#if PostgreSQL
  package import GemLedger

  extension PostgresStorage {
    package func knownLanes(of command: LedgerCommand) -> [Int]? {
      // What touches more than its customer is found by questions.
      guard command.footprint?.staysWithCustomer ?? true,
        let place = memory.directory.places(of: [command.customer])[0]
      else { return nil }
      return [layout.lane(of: place.root)]
    }

    /// The lanes of each command, by what is remembered of its customers; who is not, is looked up in one question.
    ///
    /// Who asks waits for a server that restarts, as the group will; outside of ``read(_:)``, so that nobody who only
    /// wants to read waits for those who wait.
    package func lanes(of commands: [LedgerCommand]) throws(LedgerError) -> [[Int]] {
      var patience = Patience(limit: recovery.patience)
      while true {
        do throws(LedgerError) {
          return try findLanes(of: commands)
        } catch {
          guard error.isOfLostConnection, !hasEnded, patience.goesOn(after: .lost(error.message)) else { throw error }
        }
      }
    }

    private func findLanes(of commands: [LedgerCommand]) throws(LedgerError) -> [[Int]] {
      let footprints = commands.map(\.footprint)
      var ids: [CustomerID] = commands.map(\.customer)
      for footprint in footprints { ids += footprint?.customers ?? [] }
      var places: [CustomerID: CustomerDirectory.Place] = [:]
      var unknown: Set<CustomerID> = []
      for (id, place) in zip(ids, memory.directory.places(of: ids)) {
        if let place { places[id] = place } else { unknown.insert(id) }
      }
      if !unknown.isEmpty {
        let found = try self.places(of: Array(unknown))
        memory.directory.remember(found)
        // As it is remembered now: merges that were met before count.
        for (id, place) in zip(found.map(\.0), memory.directory.places(of: found.map(\.0))) { places[id] = place }
      }
      if footprints.allSatisfy({ $0?.staysWithCustomer ?? true }) {
        return commands.map { [lane(of: $0.customer, places)] }
      }
      return try read { (snapshot) throws(LedgerError) -> [[Int]] in
        guard let tables = snapshot as? PostgresTables else { throw .defect("A snapshot of another storage") }
        var lanes: [[Int]] = []
        for (command, footprint) in zip(commands, footprints) {
          lanes.append(try self.lanes(of: command, footprint, places, tables))
        }
        return lanes
      }
    }

    /// Where ids lead, of those that somebody has.
    ///
    /// Merges are not looked up: the customer's own row tells of them when the command's turn comes, and they are few.
    private func places(of ids: [CustomerID]) throws(LedgerError) -> [(CustomerID, CustomerDirectory.Place)] {
      let rows = try askOutsideOfTransactions(
        PostgresRequest("SELECT id, customer FROM aliases WHERE id = ANY($1)") { $0.add(ids, text: \.text) })
      return (0..<rows.count).map { row in
        let customer = rows.integer(row, 1)
        return (
          CustomerID(unchecked: rows.text(row, 0)), CustomerDirectory.Place(origin: customer, root: customer)
        )
      }
    }

    private func lane(of id: CustomerID, _ places: [CustomerID: CustomerDirectory.Place]) -> Int {
      places[id].map { layout.lane(of: $0.root) } ?? layout.lane(ofNew: id.text)
    }

    private func lanes(
      of command: LedgerCommand, _ footprint: LedgerCommand.Footprint?,
      _ places: [CustomerID: CustomerDirectory.Place], _ tables: PostgresTables
    ) throws(LedgerError) -> [Int] {
      guard let footprint else { return [lane(of: command.customer, places)] }
      var lanes: Set<Int> = []
      if footprint.subject == .customer || footprint.subject == .holder {
        lanes.insert(lane(of: command.customer, places))
      }
      for id in footprint.customers { lanes.insert(lane(of: id, places)) }
      if footprint.subject == .owner || footprint.subject == .holder {
        for claim in footprint.purchases {
          for customer in try tables.customersConcerned(by: claim, footprint.subject) {
            lanes.insert(layout.lane(of: try tables.root(of: customer)))
          }
        }
      }
      if let code = footprint.order, let order = try tables.order(code) {
        lanes.insert(layout.lane(of: try tables.root(of: order.customer)))
      }
      // A refund of a purchase that nobody has brought yet may be kept in any lane.
      return lanes.isEmpty ? [layout.lane(ofNew: command.customer.text)] : lanes.sorted()
    }
  }

  extension LedgerCommand.Footprint {
    /// Whether the lane of the command's customer is all that it needs.
    fileprivate var staysWithCustomer: Bool { customers.isEmpty && order == nil && subject == .customer }
  }

  extension PostgresTables {
    func root(of customer: CustomerNumber) throws(LedgerError) -> CustomerNumber {
      guard let row = try self.customer(number: customer), row.mergedInto != 0 else { return customer }
      return row.mergedInto
    }

    /// Whom a purchase was credited to, and who has its entitlement where that matters; nobody where it is not
    /// credited.
    func customersConcerned(
      by claim: LedgerCommand.PurchaseClaim, _ subject: LedgerCommand.Footprint.Subject
    ) throws(LedgerError) -> [CustomerNumber] {
      var environment = memory.number(of: claim.environment)
      if environment == nil {
        memory.remember(try environments())
        environment = memory.number(of: claim.environment)
      }
      guard let environment else { return [] }
      let identity = PurchaseIdentity(
        store: claim.store, environment: environment, transactionID: claim.transactionID)
      guard let purchase = try purchase(identity) else { return [] }
      guard subject == .holder, let holder = try entitlementHolder(purchase: purchase.number) else {
        return [purchase.customer]
      }
      return [purchase.customer, holder]
    }
  }
#endif
