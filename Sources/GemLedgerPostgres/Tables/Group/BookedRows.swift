#if PostgreSQL
internal import GemLedger

/// The parts of an earlier transaction that a group can ask for.
struct BookedParts: OptionSet, Hashable {
  let rawValue: Int

  /// Its own row.
  static let row = BookedParts(rawValue: 1)
  /// Its entries, with their allocations to lots, and its items.
  static let postings = BookedParts(rawValue: 2)
  /// Its own effects beside its entries.
  static let effects = BookedParts(rawValue: 4)
  /// Later effects on it.
  static let about = BookedParts(rawValue: 8)
  /// The hold that it began, where that is open.
  static let hold = BookedParts(rawValue: 16)
  /// The attributes of the lots that it names: asked about lots.
  static let terms = BookedParts(rawValue: 32)

  static let all: BookedParts = [.row, .postings, .effects, .about, .hold, .terms]
  /// The parts that are asked by transaction, each by itself.
  static let asked: [BookedParts] = [.row, .postings, .effects, .about, .hold]
}

/// The rows of earlier transactions that a group fetched: those that its commands undo, the holds that they name, and
/// dependent rows.
///
/// A row that was asked for and is not here is not in the database either.
final class BookedRows {
  typealias CustomerAddress = CustomerDirectory.CustomerAddress

  /// The customers of the wanted transactions, and below the wanted parts.
  private(set) var addresses: [TransactionNumber: CustomerAddress] = [:]
  private var wanted: [TransactionNumber: BookedParts] = [:]
  /// Numbers that nothing was booked under.
  var unknown: Set<TransactionNumber> = []
  /// Lots that are wanted even if no row names them, with their customers.
  private var wantedLots: [LotNumber: CustomerAddress] = [:]
  /// The keys of requests, with the customers of the wanted transactions.
  private(set) var keys: [(address: CustomerAddress, key: IdempotencyKey)] = []
  /// The customers merged into each surviving customer, of those that were looked at.
  var merged: [CustomerNumber: [CustomerNumber]] = [:]

  private(set) var transactions: [TransactionNumber: TransactionRow] = [:]
  // As they came: a distributed engine, asked for some transactions of some customers, gives rows of others of them
  // again.
  private var entries: [TransactionNumber: [EntryRow]] = [:]
  private var allocations: [TransactionNumber: [AllocationRow]] = [:]
  private var items: [TransactionNumber: [ItemEntryRow]] = [:]
  private var own: [TransactionNumber: [EffectRow]] = [:]
  private var about: [TransactionNumber: [EffectRow]] = [:]
  private(set) var holds: [TransactionNumber: HoldRow] = [:]
  private(set) var lots: [LotNumber: LotRow] = [:]
  private(set) var terms: [LotNumber: LotTermsRow] = [:]
  /// The source of pooled currency, as accounts say: the attributes of its lot are not asked for.
  var poolSources: [LotNumber: LotSource] = [:]
  private(set) var purchases: [Int64: PurchaseRow] = [:]

  /// The parts that were asked for, by transaction and customer.
  private var asked: [RowPlace: BookedParts] = [:]
  var askedLots: Set<RowPlace> = []
  var askedTerms: Set<RowPlace> = []
  var askedPurchases: Set<Int64> = []
  /// Purchases that were asked of the lots' customers, and of no other customer yet.
  var askedNear: Set<Int64> = []

  // MARK: Wanted rows

  func want(_ parts: BookedParts, of number: TransactionNumber, at address: CustomerAddress) {
    addresses[number] = address
    wanted[number, default: []].formUnion(parts)
  }

  /// Wants the parts of all transactions that are wanted anyhow.
  func wantOfAll(_ parts: BookedParts) {
    for number in addresses.keys { wanted[number, default: []].formUnion(parts) }
  }

  /// Whether the attributes of some transaction's lots were not asked for.
  var lacksTerms: Bool { wanted.values.contains { !$0.contains(.terms) } }

  func want(lot number: LotNumber, at address: CustomerAddress) { wantedLots[number] = address }

  func want(key: IdempotencyKey, at address: CustomerAddress) { keys.append((address, key)) }

  /// All customers with wanted rows.
  var customers: Set<CustomerNumber> {
    var customers: Set<CustomerNumber> = []
    for address in addresses.values { customers.formUnion([address.origin, address.root]) }
    for address in wantedLots.values { customers.formUnion([address.origin, address.root]) }
    return customers
  }

  var isEmpty: Bool { addresses.isEmpty && wantedLots.isEmpty }

  /// All numbers of the customers that may have rows of the transaction, as far as they are known.
  func owners(of address: CustomerAddress) -> [CustomerNumber] {
    let others = merged[address.root] ?? []
    if others.isEmpty, address.origin == address.root { return [address.root] }
    return Array(Set([address.origin, address.root] + others))
  }

  /// Returns the parts still to ask for, with their customers; from here on they count as asked.
  func takeMissing() -> [BookedParts: [RowPlace]] {
    var missing: [BookedParts: [RowPlace]] = [:]
    for (number, parts) in wanted {
      guard let address = addresses[number] else { continue }
      for owner in owners(of: address) {
        let at = RowPlace(number, of: owner)
        var rest = parts.subtracting(asked[at] ?? [])
        if rest.isEmpty { continue }
        asked[at, default: []].formUnion(rest)
        // Only one customer has it.
        if transactions[number] != nil { rest.remove(.row) }
        for part in BookedParts.asked where rest.contains(part) { missing[part, default: []].append(at) }
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
    let roots = Set(addresses.values.map(\.root)).union(wantedLots.values.map(\.root))
    let looked = roots.filter { merged[$0] == nil && fetched.contains($0) }
    for root in looked { merged[root] = [] }
    return looked.filter { customers[$0].map { $0.merged > 0 } ?? false }.sorted()
  }

  /// Transactions that undid a part of another before: how much that was is to be known.
  func wantedByEffects() -> [(TransactionNumber, CustomerAddress)] {
    about.flatMap { target, effects in
      effects.compactMap { effect in
        guard effect.kind == .reversal, addresses[effect.transaction] == nil, let address = addresses[target] else {
          return nil
        }
        return (effect.transaction, address)
      }
    }
  }

  /// Holds of several lots: what they have is to be known.
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
    let wantsTerms: Bool
    /// Whether its purchase must be known.
    let wantsPurchase: Bool
  }

  /// The lots that rows name.
  func namedLots() -> [NamedLot] {
    var named = wantedLots.map {
      NamedLot(lot: $0, namer: $1.origin, address: $1, wantsTerms: false, wantsPurchase: false)
    }
    for (number, address) in addresses {
      let wantsTerms = wanted[number]?.contains(.terms) ?? false
      func name(_ lot: LotNumber, _ namer: CustomerNumber) {
        named.append(
          NamedLot(lot: lot, namer: namer, address: address, wantsTerms: wantsTerms, wantsPurchase: true))
      }
      if let hold = holds[number], let sole = hold.sole { name(sole.lot, hold.customer) }
      var customers: [EntryNumber: CustomerNumber] = [:]
      for entry in entries[number] ?? [] {
        customers[entry.number] = entry.account.customer
        if entry.lot != 0 { name(entry.lot, entry.account.customer) }
      }
      for row in allocations[number] ?? [] { name(row.lot, customers[row.entry] ?? address.origin) }
      for effect in about[number] ?? [] where effect.lot != 0 { name(effect.lot, effect.customer) }
    }
    return named
  }

  /// Returns the purchases that lots name, and which are not there.
  ///
  /// - Returns: Those to ask of the lots' customers, and those to ask of all customers. A distributed engine asks every
  ///   machine for the latter, so they wait until the former were looked for.
  func missingPurchases(isDistributed: Bool) -> (near: Set<RowPlace>, far: Set<Int64>) {
    var (near, far): (Set<RowPlace>, Set<Int64>) = ([], [])
    for lot in lots.values {
      guard let purchase = lot.purchase, purchases[purchase] == nil, !askedPurchases.contains(purchase) else {
        continue
      }
      if isDistributed, !askedNear.contains(purchase) {
        near.insert(RowPlace(purchase, of: lot.account.customer))
      } else {
        far.insert(purchase)
      }
    }
    return (near, far)
  }

  // MARK: Fetched rows

  /// Whether all of this was asked about the transaction.
  func knows(_ parts: BookedParts, of number: TransactionNumber) -> Bool {
    wanted[number]?.isSuperset(of: parts) ?? unknown.contains(number)
  }

  func knows(lot: LotNumber, of owner: CustomerNumber) -> Bool {
    lots[lot] != nil || askedLots.contains(RowPlace(lot, of: owner))
  }

  func knows(termsOf lot: LotNumber, of owner: CustomerNumber) -> Bool {
    terms[lot] != nil || askedTerms.contains(RowPlace(lot, of: owner))
  }

  func knows(purchase number: Int64) -> Bool { purchases[number] != nil || askedPurchases.contains(number) }

  func parts(of number: TransactionNumber) -> TransactionParts? {
    guard let row = transactions[number] else { return nil }
    let entries = Self.each(entries[number]) { $0.number < $1.number }
    let allocations = Self.each(allocations[number]) { ($0.entry, $0.position) < ($1.entry, $1.position) }
    let items = Self.each(items[number]) { ($0.item, $0.customer) < ($1.item, $1.customer) }
    var sources: [LotNumber: LotSource] = [:]
    for lot in entries.map(\.lot) + allocations.map(\.lot) { sources[lot] = terms[lot]?.source ?? poolSources[lot] }
    return TransactionParts(row: row, entries: entries, allocations: allocations, items: items, sources: sources)
  }

  func effects(of number: TransactionNumber) -> [EffectRow] {
    Self.each(own[number]) { $0.position < $1.position }
  }

  func effects(about number: TransactionNumber) -> [EffectRow] {
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
  func add(own row: EffectRow) { own[row.transaction, default: []].append(row) }
  func add(about row: EffectRow) {
    // One of another customer may be linked to it.
    guard asked[RowPlace(row.target, of: row.customer)]?.contains(.about) ?? false else { return }
    about[row.target, default: []].append(row)
  }
  func add(_ row: HoldRow) { holds[row.number] = row }
  func add(_ row: LotRow) { lots[row.number] = row }
  func add(_ row: LotTermsRow) { terms[row.lot] = row }
  func add(_ row: PurchaseRow) { purchases[row.number] = row }
}
#endif
