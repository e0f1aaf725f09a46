internal import GemLedger

/// A page of effects by their transactions, with everything that they are compared with, read together.
struct EffectPage {
  /// The effects of each transaction, whole.
  let groups: [[EffectRow]]
  private let transactions: [TransactionNumber: TransactionRow]
  private let entries: [TransactionNumber: [EntryRow]]
  private let allocations: [EntryNumber: [AllocationRow]]
  /// The effects of linked transactions.
  private let sides: [TransactionNumber: [EffectRow]]
  /// The reversals of each transaction that this page's reverse.
  private let reversals: [TransactionNumber: [EffectRow]]
  /// The amounts that came back to expired lots, by transaction, and the journal events that expire them again.
  private(set) var late: [TransactionNumber: [LotNumber: Int128]] = [:]
  private var expiries: [TransactionNumber: [EffectRow]] = [:]

  init(
    _ groups: [[EffectRow]], snapshot: any StorageSnapshot, families: Families,
    survivors: [TransactionNumber: CustomerNumber]
  ) throws(LedgerError) {
    self.groups = groups
    var wanted: Set<RowPlace> = []
    var sides: Set<RowPlace> = []
    var originals: [TransactionNumber: [CustomerNumber]] = [:]
    for group in groups {
      guard let first = group.first else { continue }
      wanted.insert(RowPlace(first.transaction, of: families.owner(of: first, survivors)))
      for effect in group {
        let owner = families.isInvolved(effect.customer) ? nil : effect.customer
        switch effect.kind {
        case .reversal:
          wanted.insert(RowPlace(effect.target, of: owner))
          originals[effect.target] = families.members(with: effect.customer)
        case .late, .reclaimed: wanted.insert(RowPlace(effect.target, of: owner))
        case .linked: sides.insert(RowPlace(effect.target, of: effect.value))
        case .deadline, .held, .captured, .released, .counted: break
        }
      }
    }
    transactions = try snapshot.transactions(Array(wanted))
    self.sides = try snapshot.effects(of: Array(sides))
    reversals = try snapshot.effects(about: originals).mapValues { $0.filter { $0.kind == .reversal } }
    var booking: Set<RowPlace> = []
    for group in groups {
      for effect in group where effect.kind.isOfAnEntry {
        booking.insert(RowPlace(effect.transaction, of: effect.customer))
      }
    }
    for (original, rows) in reversals {
      let customer = rows.first?.customer ?? 0
      booking.insert(RowPlace(original, of: families.isInvolved(customer) ? nil : customer))
      for row in rows { booking.insert(RowPlace(row.transaction, of: row.customer)) }
    }
    entries = try snapshot.entries(of: Array(booking))
    let split = entries.values.joined().filter { $0.lot == 0 }
    allocations = try snapshot.allocations(of: split.map { RowPlace($0.number, of: $0.account.customer) })
    try readLate(snapshot, families)
  }

  private mutating func readLate(_ snapshot: any StorageSnapshot, _ families: Families) throws(LedgerError) {
    var returns: [(effect: EffectRow, lots: [LotNumber: Int128])] = []
    var places: Set<RowPlace> = []
    for group in groups {
      guard let first = group.first, let lots = returned(by: group), !lots.isEmpty else { continue }
      returns.append((first, lots))
      for lot in lots.keys { places.insert(RowPlace(lot, of: first.customer)) }
    }
    guard !returns.isEmpty else { return }
    let terms = try snapshot.lotTerms(Array(places))
    var targets: [TransactionNumber: [CustomerNumber]] = [:]
    for (effect, lots) in returns {
      let own = lots.filter {
        $0.value > 0 && terms[$0.key].map { $0.expiresAt <= effect.createdAt.milliseconds } == true
      }
      guard !own.isEmpty else { continue }
      late[effect.transaction] = own
      targets[effect.transaction] = families.members(with: effect.customer)
    }
    if !targets.isEmpty { expiries = try snapshot.effects(about: targets) }
  }

  /// Sums up the amounts that the transaction gave back to lots; nil where it gave nothing back.
  private func returned(by group: [EffectRow]) -> [LotNumber: Int128]? {
    var lots: [LotNumber: Int128] = [:]
    guard let first = group.first else { return nil }
    if group.contains(where: { $0.kind == .reversal }) {
      for part in parts(of: first.transaction) { lots[part.lot, default: 0] += Int128(part.amount) }
      return lots
    }
    // In a merge it is set aside again.
    guard !group.contains(where: { $0.kind == .held }) else { return nil }
    for effect in group where effect.kind == .released { lots[effect.lot, default: 0] += Int128(effect.amount) }
    return lots
  }

  func transaction(_ number: TransactionNumber) -> TransactionRow? { transactions[number] }
  func entries(of transaction: TransactionNumber) -> [EntryRow] { entries[transaction] ?? [] }
  func sides(of effect: EffectRow) -> [EffectRow] { sides[effect.target] ?? [] }
  func expiries(after transaction: TransactionNumber) -> [EffectRow] {
    (expiries[transaction] ?? []).filter { $0.kind == .late }
  }
  func reversals(of transaction: TransactionNumber) -> [EffectRow] { reversals[transaction] ?? [] }

  /// Returns the amount that the transaction's entries brought to each lot, or took where it is negative.
  func parts(of transaction: TransactionNumber) -> [(lot: LotNumber, currency: Int64, amount: Int64)] {
    entries(of: transaction).flatMap { entry in
      let currency = entry.account.currency
      if entry.lot != 0 { return [(lot: entry.lot, currency: currency, amount: entry.amount)] }
      return (allocations[entry.number] ?? []).map { (lot: $0.lot, currency: currency, amount: $0.amount) }
    }
  }
}

/// The groups of customers that were merged.
struct Families {
  private let roots: [CustomerNumber: CustomerNumber]
  private var parts: [CustomerNumber: [CustomerNumber]] = [:]

  init(roots: [CustomerNumber: CustomerNumber]) {
    self.roots = roots
    for (customer, root) in roots { parts[root, default: []].append(customer) }
  }

  func root(_ customer: CustomerNumber) -> CustomerNumber { roots[customer] ?? customer }
  func isInvolved(_ customer: CustomerNumber) -> Bool { roots[customer] != nil || parts[customer] != nil }
  func members(with customer: CustomerNumber) -> [CustomerNumber] {
    let root = root(customer)
    return [root] + (parts[root] ?? [])
  }

  /// The customer of the effect's transaction; nil where the effect does not say.
  func owner(of effect: EffectRow, _ survivors: [TransactionNumber: CustomerNumber]) -> CustomerNumber? {
    if let survivor = survivors[effect.transaction] { return survivor }
    return effect.isOfEverybody ? nil : effect.customer
  }
}

extension EffectRow {
  /// A count of all customers' purchases belongs to no single customer.
  var isOfEverybody: Bool { kind == .counted && count?.kind == .sold }
}

extension EffectRow.Kind {
  /// Whether it says why an entry of its transaction fell on a lot.
  var isOfAnEntry: Bool { self == .captured || self == .late || self == .reclaimed }
}
