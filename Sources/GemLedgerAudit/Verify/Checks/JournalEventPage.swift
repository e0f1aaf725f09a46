internal import GemLedger

/// A page of effects grouped by transaction, with all rows for their comparison, read together.
struct JournalEventPage {
  /// The complete effects of each transaction.
  let groups: [[JournalEventRow]]
  private let transactions: [TransactionNumber: TransactionRow]
  private let entries: [TransactionNumber: [EntryRow]]
  private let allocations: [EntryNumber: [AllocationRow]]
  /// The effects of linked transactions.
  private let sides: [TransactionNumber: [JournalEventRow]]
  /// For each reversed transaction on this page, its reversals.
  private let reversals: [TransactionNumber: [JournalEventRow]]
  /// The amounts returned to expired lots, by transaction, and the journal events that expire them again.
  private(set) var late: [TransactionNumber: [LotNumber: Int128]] = [:]
  private var expiries: [TransactionNumber: [JournalEventRow]] = [:]

  init(
    _ groups: [[JournalEventRow]], snapshot: any StorageSnapshot, _ merges: MergedCustomers
  ) throws(LedgerError) {
    self.groups = groups
    var wanted: Set<RowAddress> = []
    var sides: Set<RowAddress> = []
    var originals: [TransactionNumber: [CustomerNumber]] = [:]
    for group in groups {
      guard let first = group.first else { continue }
      wanted.insert(RowAddress(first.transaction, of: merges.owner(of: first)))
      for event in group {
        let owner = merges.isInvolved(event.customer) ? nil : event.customer
        switch event.kind {
        case .reversal:
          wanted.insert(RowAddress(event.target, of: owner))
          originals[event.target] = merges.members(with: event.customer)
        case .late, .reclaimed: wanted.insert(RowAddress(event.target, of: owner))
        case .linked: sides.insert(RowAddress(event.target, of: event.value))
        case .deadline, .held, .captured, .released, .counted, .unproven: break
        }
      }
    }
    transactions = try snapshot.transactions(Array(wanted))
    self.sides = try snapshot.events(of: Array(sides))
    reversals = try snapshot.events(about: originals).mapValues { $0.filter { $0.kind == .reversal } }
    var booking: Set<RowAddress> = []
    for group in groups {
      for event in group where event.kind.isOfAnEntry {
        booking.insert(RowAddress(event.transaction, of: event.customer))
      }
    }
    for (original, rows) in reversals {
      let customer = rows.first?.customer ?? 0
      booking.insert(RowAddress(original, of: merges.isInvolved(customer) ? nil : customer))
      for row in rows { booking.insert(RowAddress(row.transaction, of: row.customer)) }
    }
    entries = try snapshot.entries(of: Array(booking))
    let split = entries.values.joined().filter { $0.lot == 0 }
    allocations = try snapshot.allocations(of: split.map { RowAddress($0.number, of: $0.account.customer) })
    try readLate(snapshot, merges)
  }

  private mutating func readLate(_ snapshot: any StorageSnapshot, _ merges: MergedCustomers) throws(LedgerError) {
    var returns: [(event: JournalEventRow, lots: [LotNumber: Int128])] = []
    var addresses: Set<RowAddress> = []
    for group in groups {
      guard let first = group.first, let lots = returned(by: group), !lots.isEmpty else { continue }
      returns.append((first, lots))
      for lot in lots.keys { addresses.insert(RowAddress(lot, of: first.customer)) }
    }
    guard !returns.isEmpty else { return }
    let attributes = try snapshot.lotAttributes(Array(addresses))
    var targets: [TransactionNumber: [CustomerNumber]] = [:]
    for (event, lots) in returns {
      let own = lots.filter {
        $0.value > 0 && attributes[$0.key].map { $0.expiresAt <= event.createdAt.milliseconds } == true
      }
      guard !own.isEmpty else { continue }
      late[event.transaction] = own
      targets[event.transaction] = merges.members(with: event.customer)
    }
    if !targets.isEmpty { expiries = try snapshot.events(about: targets) }
  }

  /// Returns the amounts that the transaction gave back to lots; nil if it gave nothing back.
  private func returned(by group: [JournalEventRow]) -> [LotNumber: Int128]? {
    var lots: [LotNumber: Int128] = [:]
    guard let first = group.first else { return nil }
    if group.contains(where: { $0.kind == .reversal }) {
      for part in parts(of: first.transaction) { lots[part.lot, default: 0] += Int128(part.amount) }
      return lots
    }
    // A merge holds them again.
    guard !group.contains(where: { $0.kind == .held }) else { return nil }
    for event in group where event.kind == .released { lots[event.lot, default: 0] += Int128(event.amount) }
    return lots
  }

  func transaction(_ number: TransactionNumber) -> TransactionRow? { transactions[number] }
  func entries(of transaction: TransactionNumber) -> [EntryRow] { entries[transaction] ?? [] }
  func sides(of event: JournalEventRow) -> [JournalEventRow] { sides[event.target] ?? [] }
  func expiries(after transaction: TransactionNumber) -> [JournalEventRow] {
    (expiries[transaction] ?? []).filter { $0.kind == .late }
  }
  func reversals(of transaction: TransactionNumber) -> [JournalEventRow] { reversals[transaction] ?? [] }

  /// Returns the change of each lot by the transaction's entries; negative if they took an amount.
  func parts(of transaction: TransactionNumber) -> [(lot: LotNumber, currency: Int64, amount: Int64)] {
    entries(of: transaction).flatMap { entry in
      let currency = entry.account.currency
      if entry.lot != 0 { return [(lot: entry.lot, currency: currency, amount: entry.amount)] }
      return (allocations[entry.number] ?? []).map { (lot: $0.lot, currency: currency, amount: $0.amount) }
    }
  }
}

extension JournalEventRow {
  /// Whether it counts all customers' purchases, so that it belongs to no single customer.
  var isOfEverybody: Bool { kind == .counted && count?.kind == .sold }
}

extension JournalEventRow.Kind {
  /// Whether it explains why an entry of its transaction was allocated to a lot.
  var isOfAnEntry: Bool { self == .captured || self == .late || self == .reclaimed }
}
