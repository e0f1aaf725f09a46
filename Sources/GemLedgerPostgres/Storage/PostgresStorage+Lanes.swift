#if PostgreSQL
  package import GemLedger

  extension PostgresStorage {
    package func knownLanes(of command: LedgerCommand) -> [Int]? {
      guard let footprint = command.footprint, !footprint.staysWithCustomer else {
        return memory.directory.places(of: [command.customer])[0].map { [layout.lane(of: $0.root)] }
      }
      // What else somebody concerns is found by questions.
      guard !footprint.needsRows else { return nil }
      var lanes: Set<Int> = []
      for place in memory.directory.places(of: footprint.ids(of: command)) {
        guard let place else { return nil }
        lanes.insert(layout.lane(of: place.root))
      }
      for found in memory.directory.located(footprint.transactions) {
        guard let found else { return nil }
        lanes.insert(layout.lane(of: found.place.root))
      }
      return lanes.isEmpty ? nil : lanes.sorted()
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

    /// Where the ids and transactions of commands lead, of those that are somebody's.
    private struct Places {
      var ids: [CustomerID: CustomerDirectory.Place] = [:]
      var transactions: [TransactionNumber: CustomerDirectory.Place] = [:]
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
      let places = try places(of: ids, transactions)
      if !footprints.contains(where: { $0?.needsRows ?? false }) {
        return zip(commands, footprints).map { lanes(of: $0, $1, places) }
      }
      return try read { (snapshot) throws(LedgerError) -> [[Int]] in
        guard let tables = snapshot as? PostgresTables else { throw .defect("A snapshot of another storage") }
        let concerned = try tables.customersConcerned(by: footprints)
        var lanes: [[Int]] = []
        for (command, footprint) in zip(commands, footprints) {
          var others: Set<Int> = []
          for claim in footprint?.purchases ?? [] where footprint?.subject.isOfPurchase == true {
            for root in concerned[claim] ?? [] { others.insert(layout.lane(of: root)) }
          }
          if let code = footprint?.order, let order = try tables.order(code) {
            others.insert(layout.lane(of: try tables.root(of: order.customer)))
          }
          lanes.append(self.lanes(of: command, footprint, places, others))
        }
        return lanes
      }
    }

    /// By what is remembered; the rest is looked up in one question.
    private func places(
      of ids: [CustomerID], _ transactions: [TransactionNumber]
    ) throws(LedgerError) -> Places {
      var places = Places()
      var unknownIDs: Set<CustomerID> = []
      for (id, place) in zip(ids, memory.directory.places(of: ids)) {
        if let place { places.ids[id] = place } else { unknownIDs.insert(id) }
      }
      var unknown: Set<TransactionNumber> = []
      for (number, found) in zip(transactions, memory.directory.located(transactions)) {
        if let found { places.transactions[number] = found.place } else { unknown.insert(number) }
      }
      if !unknownIDs.isEmpty || !unknown.isEmpty {
        let epoch = memory.directory.epoch
        let (foundIDs, found) = try lookUp(Array(unknownIDs), Array(unknown))
        memory.directory.remember(foundIDs)
        memory.directory.remember(found, since: epoch)
        // As it is remembered now: merges that were met before count.
        for (id, place) in zip(foundIDs.map(\.0), memory.directory.places(of: foundIDs.map(\.0))) {
          places.ids[id] = place
        }
        for found in memory.directory.located(found.map(\.row.number)) {
          if let found { places.transactions[found.row.number] = found.place }
        }
      }
      return places
    }

    /// Where ids and transactions lead, of those that are somebody's.
    ///
    /// Merges of ids are not looked up: the customer's own row tells of them when the command's turn comes, and they
    /// are few.
    private func lookUp(
      _ ids: [CustomerID], _ transactions: [TransactionNumber]
    ) throws(LedgerError) -> (
      [(CustomerID, CustomerDirectory.Place)], [CustomerDirectory.LocatedTransaction]
    ) {
      let locating = PostgresTables.locating(transactions, isDistributed: layout.isDistributed)
      let answers = try askOutsideOfTransactions(
        [PostgresRequest("SELECT id, customer FROM aliases WHERE id = ANY($1)") { $0.add(ids, text: \.text) }]
          + locating)
      let found = (0..<answers[0].count).map { row in
        let customer = answers[0].integer(row, 1)
        return (
          CustomerID(unchecked: answers[0].text(row, 0)), CustomerDirectory.Place(origin: customer, root: customer)
        )
      }
      return (found, answers.dropFirst().flatMap(PostgresTables.located))
    }

    private func lane(of id: CustomerID, _ places: Places) -> Int {
      places.ids[id].map { layout.lane(of: $0.root) } ?? layout.lane(ofNew: id.text)
    }

    private func lanes(
      of command: LedgerCommand, _ footprint: LedgerCommand.Footprint?, _ places: Places, _ others: Set<Int> = []
    ) -> [Int] {
      guard let footprint else { return [lane(of: command.customer, places)] }
      var lanes = others
      for id in footprint.ids(of: command) { lanes.insert(lane(of: id, places)) }
      for number in footprint.transactions {
        if let place = places.transactions[number] { lanes.insert(layout.lane(of: place.root)) }
      }
      // A refund of a purchase that nobody has brought yet may be kept in any lane, and what names nothing is refused
      // in any.
      return lanes.isEmpty ? [layout.lane(ofNew: command.customer.text)] : lanes.sorted()
    }
  }

  extension LedgerCommand.Footprint {
    /// Whether the lane of the command's customer is all that it needs.
    fileprivate var staysWithCustomer: Bool {
      customers.isEmpty && transactions.isEmpty && order == nil && subject == .customer
    }

    /// Whether rows say whom it concerns.
    fileprivate var needsRows: Bool { order != nil || subject.isOfPurchase || subject == .orderer }

    /// The ids of all whose rows it may write.
    fileprivate func ids(of command: LedgerCommand) -> [CustomerID] {
      (subject == .customer || subject == .holder ? [command.customer] : []) + customers
    }
  }

  extension PostgresTables {
    func root(of customer: CustomerNumber) throws(LedgerError) -> CustomerNumber {
      guard let row = try self.customer(number: customer), row.mergedInto != 0 else { return customer }
      return row.mergedInto
    }
  }
#endif
