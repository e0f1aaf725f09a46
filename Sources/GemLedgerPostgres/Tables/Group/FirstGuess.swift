#if PostgreSQL
internal import GemLedger
internal import Synchronization

/// The first look-ups of a group, which are sufficient for the common commands.
///
/// Decisions never depend on a guess: they request any missing rows.
struct FirstGuess {
  /// Whether to look up the customers' first lots and counts too.
  var wantsLots = false
  var wantsCounts = false
  /// The keys of commands, by the ids and numbers of their customers; with duplicates.
  var keysOfIDs: [CustomerID: [IdempotencyKey]] = [:]
  var keysOfCustomers: [CustomerNumber: [IdempotencyKey]] = [:]
  /// The items that commands buy.
  var itemsOfIDs: [CustomerID: [ItemID]] = [:]
  /// The catalog rows that commands use; read with the currencies after a change.
  var catalogKeys: Set<IndexKey> = []
  /// The ids of customers that are merged or split: all their rows move.
  var joined: Set<CustomerID> = []
  /// The numbers of these customers.
  var moved: Set<CustomerNumber> = []
  /// Whether a customer is split off: the customers' merges are undone, with their later entries.
  var splitsOff = false
  /// The newest entries of customers, if one is split off.
  var lastEntries: [CustomerNumber: EntryNumber] = [:]
  /// The transactions of replayed commands.
  var replayed: Set<TransactionNumber> = []
  /// The keys of refunds, by the refunded purchases.
  var refunds: [PurchaseIdentity: [IdempotencyKey]] = [:]
  /// The transactions of refunded purchases and their refunds, with the customers that the purchases were credited to.
  var refunded: [TransactionNumber: CustomerNumber] = [:]
  /// The transactions that commands name.
  var named: [TransactionNumber: NamedTransaction] = [:]
  /// The customers of transactions that commands name, and of transactions that reversed a part of them.
  var places: [TransactionNumber: CustomerDirectory.CustomerAddress] = [:]

  struct NamedTransaction {
    var isHold = false
    var keys: [IdempotencyKey] = []
  }
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
        if let item = command.item { guess.itemsOfIDs[command.customer, default: []].append(item) }
      }
      if let key = command.catalogKey { guess.catalogKeys.insert(key) }
      guard let footprint else { continue }
      ids.formUnion(footprint.customers)
      guess.splitsOff = guess.splitsOff || footprint.splitsOff
      if footprint.joins { guess.joined.formUnion([command.customer] + footprint.customers) }
      if let code = footprint.order, !layout.isDistributed { ordersOfCodes.want(code) }
      for number in footprint.transactions {
        guess.named[number, default: .init()].isHold = footprint.subject == .holding
        if let key = command.key { guess.named[number]?.keys.append(key) }
      }
      if footprint.subject == .owner {
        for identity in footprint.purchases.compactMap(identity) {
          guess.refunds[identity, default: []] += command.key.map { [$0] } ?? []
        }
      }
    }
    wantCustomers(ids)
    wantCatalog(isChanged: false)
    let numbers = Array(guess.named.keys.filter { guess.places[$0] == nil })
    for (number, found) in zip(numbers, memory.directory.located(numbers)) {
      if let found {
        locate(found)
        continue
      }
      located.want(number)
      guard !layout.isDistributed, guess.named[number]?.isHold == false else { continue }
      // Looked up after their transactions, which name the customers.
      locatedEntries.want(number)
      locatedAllocations.want(number)
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
      merged.want(address.survivingCustomer)
      // Another process may have undone a cached merge: the merged customer's row decides.
      want(address.original, named: id)
    }
  }

  /// Requests the rows that the commands of an id need under one of its numbers.
  private func want(_ number: CustomerNumber, named id: CustomerID) {
    want(customer: number, keys: guess.keysOfIDs[id] ?? [])
    if guess.joined.contains(id) { want(allOf: number) }
    if guess.itemsOfIDs.isEmpty { return }
    for item in guess.itemsOfIDs[id] ?? [] { owned.want(OwnedItem(customer: number, item: item)) }
  }

  func arrived(named id: CustomerID, _ numbers: [CustomerNumber]) { for number in numbers { want(number, named: id) } }

  func identity(of claim: LedgerCommand.PurchaseClaim) -> PurchaseIdentity? {
    environments[claim.environment].map {
      PurchaseIdentity(store: claim.store, environment: $0, transactionID: claim.transactionID)
    }
  }
}
#endif
