#if PostgreSQL
internal import GemLedger
internal import Synchronization

/// The first look-ups of a group, which are sufficient for adjustments, purchases, and holds with their ends.
///
/// Decisions never depend on a guess: they request any missing rows.
struct FirstGuess {
  /// Whether to look up the customers' first lots and counts too.
  var wantsLots = false
  var wantsCounts = false
  /// The keys of commands, by the ids and numbers of their customers; with duplicates.
  var keysOfIDs: [CustomerID: [IdempotencyKey]] = [:]
  var keysOfCustomers: [CustomerNumber: [IdempotencyKey]] = [:]
  /// The keys of commands, by the transactions that they name.
  var keysOfTransactions: [TransactionNumber: [IdempotencyKey]] = [:]
  /// The holds that commands end or extend.
  var holds: Set<TransactionNumber> = []
  /// The catalog rows that commands use; read with the currencies after a change.
  var catalogKeys: Set<IndexKey> = []
}

extension GroupRows {
  /// Requests the first look-ups for the commands.
  func wantFirst(_ commands: [LedgerCommand], _ footprints: [LedgerCommand.Footprint?]) {
    let demand = memory.countDemand.load(ordering: .relaxed)
    if demand > 0 { memory.countDemand.store(demand - 1, ordering: .relaxed) }
    guess.wantsCounts = demand > 0
    guess.wantsLots = memory.lotDemand.load(ordering: .relaxed) > 0
    if guess.wantsLots { memory.lotDemand.subtract(1, ordering: .relaxed) }
    var ids: Set<CustomerID> = []
    for (command, footprint) in zip(commands, footprints) {
      if footprint?.subject.isNamed ?? true {
        ids.insert(command.customer)
        if let key = command.key { guess.keysOfIDs[command.customer, default: []].append(key) }
      }
      if let key = command.catalogKey { guess.catalogKeys.insert(key) }
      guard let footprint else { continue }
      ids.formUnion(footprint.customers)
      if footprint.subject == .holding { guess.holds.formUnion(footprint.transactions) }
      for number in footprint.transactions {
        guess.keysOfTransactions[number, default: []] += command.key.map { [$0] } ?? []
      }
    }
    wantCustomers(ids)
    wantCatalog(isChanged: false)
    let numbers = Array(guess.keysOfTransactions.keys.filter { located.found[$0] == nil })
    for (number, found) in zip(numbers, memory.directory.located(numbers)) {
      if let found { locate(found) } else { located.want(number) }
    }
  }

  private func wantCustomers(_ named: Set<CustomerID>) {
    var ids: [CustomerID] = []
    ids.reserveCapacity(named.count)
    for id in named {
      // Commands that arrived while the group waited may be of customers that it has looked up.
      switch addresses[id] {
      case let known??: want(known.survivingCustomer, named: id)
      case .some(nil): continue
      case nil: ids.append(id)
      }
    }
    for (id, address) in zip(ids, memory.directory.addresses(of: ids)) {
      guard let address else {
        aliases.want(id)
        continue
      }
      remembered[id] = address
      want(address.survivingCustomer, named: id)
      guard address.original != address.survivingCustomer else { continue }
      lookup(MergedCustomerRow.ofSurvivor).want(RowAddress(address.survivingCustomer, of: nil))
      // Another process may have undone a cached merge: the merged customer's row decides.
      want(address.original, named: id)
    }
  }

  /// Requests the rows that the commands of an id need under one of its numbers.
  func want(_ number: CustomerNumber, named id: CustomerID) {
    want(customer: number, keys: guess.keysOfIDs[id] ?? [])
  }

  func arrived(named id: CustomerID, _ numbers: [CustomerNumber]) {
    for number in numbers {
      useRows(ofIDs: number, named: id)
      want(number, named: id)
    }
  }
}
#endif
