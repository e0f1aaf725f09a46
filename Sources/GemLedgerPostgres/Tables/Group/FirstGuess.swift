#if PostgreSQL
internal import GemLedger
internal import Synchronization

/// The look-ups that a group begins with: they make the common commands need no other.
///
/// Deciding never depends on a guess: it asks for whatever it lacks.
struct FirstGuess {
  /// Whether the customers' first lots, and their counts, are asked for with them.
  var wantsLots = false
  var wantsCounts = false
  /// The keys of commands, by the ids and numbers of their customers; some of them twice.
  var keysOfIDs: [CustomerID: [IdempotencyKey]] = [:]
  var keysOfCustomers: [CustomerNumber: [IdempotencyKey]] = [:]
  /// The ids of customers that become one or part: all that they have moves.
  var joined: Set<CustomerID> = []
  /// Whether a customer is split off: the merges of the customers are undone, with the entries since.
  var splitsOff = false
  /// The newest entries of customers, where one is split off.
  var lastEntries: [CustomerNumber: EntryNumber] = [:]
  /// The transactions that are answered again.
  var replayed: Set<TransactionNumber> = []
  /// The keys of refunds, by the refunded purchases.
  var refunds: [PurchaseIdentity: [IdempotencyKey]] = [:]
  /// The transactions that commands name.
  var named: [TransactionNumber: NamedTransaction] = [:]
  /// The customers of transactions that commands name, and of those that undid a part of them.
  var places: [TransactionNumber: CustomerDirectory.CustomerAddress] = [:]

  struct NamedTransaction {
    var isHold = false
    var keys: [IdempotencyKey] = []
  }
}

extension GroupRows {
  /// Wants the first look-ups for the commands.
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
    let numbers = Array(guess.named.keys.filter { guess.places[$0] == nil })
    for (number, found) in zip(numbers, memory.directory.located(numbers)) {
      if let found { locate(found) } else { located.want(number) }
    }
  }

  private func wantCustomers(_ named: Set<CustomerID>) {
    var ids: [CustomerID] = []
    ids.reserveCapacity(named.count)
    for id in named {
      // Commands that came while the group waited may be of customers that it has looked up.
      switch addresses[id] {
      case let known??: want(customer: known.survivingCustomer, keys: guess.keysOfIDs[id] ?? [])
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
      let keys = guess.keysOfIDs[id] ?? []
      want(address.survivingCustomer, named: id, keys)
      guard address.original != address.survivingCustomer else { continue }
      merged.want(address.survivingCustomer)
      // A merge may have been undone by another process since it was remembered: the part's own row tells.
      want(address.original, named: id, keys)
    }
  }

  private func want(_ number: CustomerNumber, named id: CustomerID, _ keys: [IdempotencyKey]) {
    if guess.joined.contains(id) { want(allOf: number) }
    want(customer: number, keys: keys)
  }

  func identity(of claim: LedgerCommand.PurchaseClaim) -> PurchaseIdentity? {
    environments[claim.environment].map {
      PurchaseIdentity(store: claim.store, environment: $0, transactionID: claim.transactionID)
    }
  }
}
#endif
