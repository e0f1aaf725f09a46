#if PostgreSQL
internal import GemLedger

/// The parts of an earlier transaction that a group can ask for.
struct EarlierParts: OptionSet, Hashable {
  let rawValue: Int

  /// Its own row.
  static let row = EarlierParts(rawValue: 1)
  /// Its entries, with their allocations to lots, and its items.
  static let postings = EarlierParts(rawValue: 2)
  /// Its own effects beside its entries.
  static let events = EarlierParts(rawValue: 4)
  /// Later effects on it.
  static let about = EarlierParts(rawValue: 8)
  /// The hold that it began, where that is open.
  static let hold = EarlierParts(rawValue: 16)
  /// The attributes of the lots that it names: asked about lots.
  static let attributes = EarlierParts(rawValue: 32)

  static let all: EarlierParts = [.row, .postings, .events, .about, .hold, .attributes]
  /// The parts that are asked by transaction, each by itself.
  static let asked: [EarlierParts] = [.row, .postings, .events, .about, .hold]
}

/// The rows of earlier transactions that a group fetched: those that its commands undo, the holds that they name, and
/// dependent rows.
///
/// A row that was asked for and is not here is not in the database either.
final class EarlierTransactions {
  typealias CustomerAddress = CustomerDirectory.CustomerAddress

  /// The customers of the wanted transactions, and below the wanted parts.
  private(set) var addresses: [TransactionNumber: CustomerAddress] = [:]
  private var wanted: [TransactionNumber: EarlierParts] = [:]
  /// Numbers that nothing was booked under.
  var unknown: Set<TransactionNumber> = []
  /// Lots that are wanted even if no row names them, with their customers.
  private var wantedLots: [LotNumber: CustomerAddress] = [:]
  /// The keys of requests, with the customers of the wanted transactions.
  private(set) var keys: [(address: CustomerAddress, key: IdempotencyKey)] = []
  /// The customers merged into each surviving customer, of those that were looked at.
  var merged: [CustomerNumber: [CustomerNumber]] = [:]
  /// Of those, the customers that an unmerge parted from the surviving customer.
  var parted: [CustomerNumber: [CustomerNumber]] = [:]

  private(set) var transactions: [TransactionNumber: TransactionRow] = [:]
  // As they came: a distributed engine, asked for some transactions of some customers, gives rows of others of them
  // again.
  private var entries: [TransactionNumber: [EntryRow]] = [:]
  private var allocations: [TransactionNumber: [AllocationRow]] = [:]
  private var items: [TransactionNumber: [ItemEntryRow]] = [:]
  private var own: [TransactionNumber: [JournalEventRow]] = [:]
  private var about: [TransactionNumber: [JournalEventRow]] = [:]
  private(set) var holds: [TransactionNumber: HoldRow] = [:]
  private(set) var lots: [LotNumber: LotRow] = [:]
  private(set) var attributes: [LotNumber: LotAttributesRow] = [:]
  /// The source of pooled currency, as accounts say: the attributes of its lot are not asked for.
  var poolSources: [LotNumber: LotSource] = [:]
  private(set) var purchases: [Int64: PurchaseRow] = [:]

  /// The parts that were asked for, by transaction and customer.
  private var asked: [RowAddress: EarlierParts] = [:]
  var askedLots: Set<RowAddress> = []
  var askedLotAttributes: Set<RowAddress> = []
  var askedPurchases: Set<Int64> = []
  /// Purchases that were asked of the lots' customers, and of no other customer yet.
  var askedNear: Set<Int64> = []

  // MARK: Wanted rows

  func want(_ parts: EarlierParts, of number: TransactionNumber, at address: CustomerAddress) {
    addresses[number] = address
    wanted[number, default: []].formUnion(parts)
  }

  /// Wants the parts of all transactions that are wanted anyhow.
  func wantOfAll(_ parts: EarlierParts) {
    for number in addresses.keys { wanted[number, default: []].formUnion(parts) }
  }

  /// Whether the attributes of some transaction's lots were not asked for.
  var lacksLotAttributes: Bool { wanted.values.contains { !$0.contains(.attributes) } }

  func want(lot number: LotNumber, at address: CustomerAddress) { wantedLots[number] = address }

  func want(key: IdempotencyKey, at address: CustomerAddress) { keys.append((address, key)) }

  /// All customers with wanted rows.
  var customers: Set<CustomerNumber> {
    var customers: Set<CustomerNumber> = []
    for address in addresses.values { customers.formUnion([address.original, address.survivingCustomer]) }
    for address in wantedLots.values { customers.formUnion([address.original, address.survivingCustomer]) }
    return customers
  }

  var isEmpty: Bool { addresses.isEmpty && wantedLots.isEmpty }

  /// All numbers of the customers that may have rows of the transaction, as far as they are known.
  func owners(of address: CustomerAddress) -> [CustomerNumber] {
    let others = (merged[address.survivingCustomer] ?? []) + (parted[address.survivingCustomer] ?? [])
    if others.isEmpty, address.original == address.survivingCustomer { return [address.survivingCustomer] }
    return Array(Set([address.original, address.survivingCustomer] + others))
  }

  /// Returns the parts still to ask for, with their customers; from here on they count as asked.
  func takeMissing() -> [EarlierParts: [RowAddress]] {
    var missing: [EarlierParts: [RowAddress]] = [:]
    for (number, parts) in wanted {
      guard let address = addresses[number] else { continue }
      for owner in owners(of: address) {
        let at = RowAddress(number, of: owner)
        var rest = parts.subtracting(asked[at] ?? [])
        if rest.isEmpty { continue }
        asked[at, default: []].formUnion(rest)
        // Only one customer has it.
        if transactions[number] != nil { rest.remove(.row) }
        for part in EarlierParts.asked where rest.contains(part) { missing[part, default: []].append(at) }
      }
    }
    return missing
  }

  /// Returns the surviving customers with merges that were not looked at; from here on they count as looked at.
  ///
  /// - Parameter customers: The customers with fetched rows.
  func takeMissingMerges(
    fetched: Set<CustomerNumber>, _ customers: [CustomerNumber: CustomerRow]
  ) -> [CustomerNumber] {
    let survivingCustomers = Set(addresses.values.map(\.survivingCustomer)).union(
      wantedLots.values.map(\.survivingCustomer))
    let looked = survivingCustomers.filter { merged[$0] == nil && fetched.contains($0) }
    for survivingCustomer in looked { merged[survivingCustomer] = [] }
    return looked.filter { customers[$0].map { $0.merged > 0 } ?? false }.sorted()
  }

  /// Returns the surviving customers with an unmerge that was not looked at: their rows count more parts than there
  /// are.
  func lackingParted(_ customers: [CustomerNumber: CustomerRow]) -> [CustomerNumber] {
    merged.filter { number, parts in
      parted[number] == nil && customers[number].map { $0.merged != Int64(parts.count) } ?? false
    }.keys.sorted()
  }

  /// Transactions that undid a part of another before: how much that was is to be known.
  func wantedByEvents() -> [(TransactionNumber, CustomerAddress)] {
    about.flatMap { target, events in
      events.compactMap { event in
        guard event.kind == .reversal, addresses[event.transaction] == nil, let address = addresses[target] else {
          return nil
        }
        return (event.transaction, address)
      }
    }
  }

  /// Holds of several lots; their amounts must be read.
  func wantedByHolds() -> [(TransactionNumber, CustomerAddress)] {
    holds.values.compactMap { hold in
      guard hold.sole == nil, let address = addresses[hold.number] else { return nil }
      return (hold.number, address)
    }
  }

  struct NamedLot {
    let lot: LotNumber
    /// The customer number under which the rows lie that name it.
    let namer: CustomerNumber
    /// All customers that may have it now.
    let address: CustomerAddress
    let wantsLotAttributes: Bool
    /// Whether its purchase must be known.
    let wantsPurchase: Bool
  }

  /// The lots that rows name.
  func namedLots() -> [NamedLot] {
    var named = wantedLots.map {
      NamedLot(lot: $0, namer: $1.original, address: $1, wantsLotAttributes: false, wantsPurchase: false)
    }
    for (number, address) in addresses {
      let wantsLotAttributes = wanted[number]?.contains(.attributes) ?? false
      func name(_ lot: LotNumber, _ namer: CustomerNumber) {
        named.append(
          NamedLot(
            lot: lot, namer: namer, address: address, wantsLotAttributes: wantsLotAttributes, wantsPurchase: true))
      }
      if let hold = holds[number], let sole = hold.sole { name(sole.lot, hold.customer) }
      var customers: [EntryNumber: CustomerNumber] = [:]
      for entry in entries[number] ?? [] {
        customers[entry.number] = entry.account.customer
        if entry.lot != 0 { name(entry.lot, entry.account.customer) }
      }
      for row in allocations[number] ?? [] { name(row.lot, customers[row.entry] ?? address.original) }
      for event in about[number] ?? [] where event.lot != 0 { name(event.lot, event.customer) }
    }
    return named
  }

  /// Returns the purchases that lots name, and which are not there.
  ///
  /// - Returns: Those to ask of the lots' customers, and those to ask of all customers. A distributed engine asks every
  ///   machine for the latter, so they wait until the former were looked for.
  func missingPurchases(isDistributed: Bool) -> (near: Set<RowAddress>, far: Set<Int64>) {
    var (near, far): (Set<RowAddress>, Set<Int64>) = ([], [])
    for lot in lots.values {
      guard let purchase = lot.purchase, purchases[purchase] == nil, !askedPurchases.contains(purchase) else {
        continue
      }
      if isDistributed, !askedNear.contains(purchase) {
        near.insert(RowAddress(purchase, of: lot.account.customer))
      } else {
        far.insert(purchase)
      }
    }
    return (near, far)
  }

  // MARK: Fetched rows

  /// Whether all of this was asked about the transaction.
  func knows(_ parts: EarlierParts, of number: TransactionNumber) -> Bool {
    wanted[number]?.isSuperset(of: parts) ?? unknown.contains(number)
  }

  func knows(lot: LotNumber, of owner: CustomerNumber) -> Bool {
    lots[lot] != nil || askedLots.contains(RowAddress(lot, of: owner))
  }

  func knows(termsOf lot: LotNumber, of owner: CustomerNumber) -> Bool {
    attributes[lot] != nil || askedLotAttributes.contains(RowAddress(lot, of: owner))
  }

  func knows(purchase number: Int64) -> Bool { purchases[number] != nil || askedPurchases.contains(number) }

  func parts(of number: TransactionNumber) -> TransactionParts? {
    guard let row = transactions[number] else { return nil }
    let entries = Self.each(entries[number]) { $0.number < $1.number }
    let allocations = Self.each(allocations[number]) { ($0.entry, $0.position) < ($1.entry, $1.position) }
    let items = Self.each(items[number]) { ($0.item, $0.customer) < ($1.item, $1.customer) }
    var sources: [LotNumber: LotSource] = [:]
    for lot in entries.map(\.lot) + allocations.map(\.lot) {
      sources[lot] = attributes[lot]?.source ?? poolSources[lot]
    }
    return TransactionParts(row: row, entries: entries, allocations: allocations, items: items, sources: sources)
  }

  func events(of number: TransactionNumber) -> [JournalEventRow] {
    Self.each(own[number]) { $0.position < $1.position }
  }

  func events(about number: TransactionNumber) -> [JournalEventRow] {
    Self.each(about[number]) { ($0.transaction, $0.position) < ($1.transaction, $1.position) }
  }

  /// The rows without duplicates, in this order.
  private static func each<Row: Equatable>(_ rows: [Row]?, inOrder: (Row, Row) -> Bool) -> [Row] {
    guard var rows, rows.count > 1 else { return rows ?? [] }
    rows.sort(by: inOrder)
    return rows.indices.compactMap { $0 > 0 && rows[$0] == rows[$0 - 1] ? nil : rows[$0] }
  }

  func add(_ row: TransactionRow) { transactions[row.number] = row }
  func add(_ row: EntryRow) { entries[row.transaction, default: []].append(row) }
  func add(_ row: AllocationRow) {
    allocations[Numbering.transaction(of: row.entry), default: []].append(row)
  }
  func add(_ row: ItemEntryRow) { items[row.transaction, default: []].append(row) }
  func add(own row: JournalEventRow) { own[row.transaction, default: []].append(row) }
  func add(about row: JournalEventRow) {
    // One of another customer may be linked to it.
    guard asked[RowAddress(row.target, of: row.customer)]?.contains(.about) ?? false else { return }
    about[row.target, default: []].append(row)
  }
  func add(_ row: HoldRow) { holds[row.number] = row }
  func add(_ row: LotRow) { lots[row.number] = row }
  func add(_ row: LotAttributesRow) { attributes[row.lot] = row }
  func add(_ row: PurchaseRow) { purchases[row.number] = row }
}
#endif
