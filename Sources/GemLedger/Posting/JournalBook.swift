/// The transactions, entries, allocations, notes and events that a group appends to the journal, and reads of the
/// journal with them.
struct JournalBook: ~Copyable {
  private let scope: GroupScope
  var sequences = Sequences()
  /// The number of the first transaction that this group books.
  private var firstTransaction: TransactionNumber = 1
  /// The journal's last transaction before the group.
  private var lastTransaction: TransactionNumber = 0

  private(set) var transactions: [TransactionRow] = []
  /// The transactions that touch no balance.
  private var transactionsWithoutEntries: [TransactionRow] = []
  private(set) var entries: [EntryRow] = []
  private(set) var allocations: [AllocationRow] = []
  private var checkpoints: [CheckpointRow] = []
  private var notes: [NoteRow] = []
  private var newEvents: [JournalEventRow] = []
  /// The newest event; the next one of the same transaction follows it.
  private var lastEvent: (transaction: TransactionNumber, position: Int64) = (0, 0)
  private var newestTransaction: TransactionNumber = 0
  /// How many events the other transactions of the group have.
  private var positions: [TransactionNumber: Int64] = [:]
  private var isOutOfOrder = false
  /// The index in the change set of the newest event about a transaction.
  private var newestIndexes: [TransactionNumber: Int] = [:]
  /// For each event the index of the previous event about the same transaction; -1 for none.
  private var earlierIndexes: [Int] = []

  init(_ scope: GroupScope) { self.scope = scope }

  /// Starts after the journal's last transaction, with the numbers of the group's time.
  mutating func begin(after lastTransaction: TransactionNumber, _ sequences: Sequences) {
    self.lastTransaction = lastTransaction
    self.sequences = sequences
    firstTransaction = sequences.nextTransaction
    transactions.removeAll(keepingCapacity: true)
    transactionsWithoutEntries.removeAll(keepingCapacity: true)
    entries.removeAll(keepingCapacity: true)
    allocations.removeAll(keepingCapacity: true)
    checkpoints.removeAll(keepingCapacity: true)
    notes.removeAll(keepingCapacity: true)
    guard !newEvents.isEmpty else { return }
    newEvents.removeAll()
    (lastEvent, newestTransaction, isOutOfOrder) = ((0, 0), 0, false)
    positions.removeAll()
    newestIndexes.removeAll()
    earlierIndexes.removeAll()
  }

  /// Moves the rows into the change set, in the order of transactions.
  mutating func collect(into changes: inout ChangeSet) {
    swap(&transactions, &changes.transactions)
    swap(&transactionsWithoutEntries, &changes.transactionsWithoutEntries)
    swap(&entries, &changes.entries)
    swap(&allocations, &changes.allocations)
    swap(&checkpoints, &changes.checkpoints)
    swap(&notes, &changes.notes)
    guard !newEvents.isEmpty else { return }
    if isOutOfOrder { newEvents.sort { ($0.transaction, $0.position) < ($1.transaction, $1.position) } }
    changes.ownCold.events = newEvents
  }

  // MARK: Appending

  @inline(__always)
  mutating func appendTransaction(_ kind: EntryKind, of customer: CustomerNumber) -> TransactionNumber {
    let number = sequences.drawTransaction()
    transactions.append(
      TransactionRow(
        number: number, kind: kind, customer: customer, createdAt: scope.now,
        firstEntry: sequences.entry + 1))
    return number
  }

  mutating func appendTransactionWithoutEntries(_ kind: EntryKind, of customer: CustomerNumber) -> TransactionNumber {
    let number = appendTransaction(kind, of: customer)
    listNewestAsWithoutEntries()
    return number
  }

  /// Lists the newest transaction among those that touch no balance.
  mutating func listNewestAsWithoutEntries() {
    if let row = transactions.last { transactionsWithoutEntries.append(row) }
  }

  @inline(__always)
  mutating func addNote(of command: LedgerCommand.Body, to transaction: TransactionNumber) {
    guard let note = command.note else { return }
    notes.append(
      NoteRow(transaction: transaction, reference: note.reference, reason: note.reason, actor: note.actor))
  }

  /// Appends an entry, and a checkpoint if it is due.
  @inline(__always)
  mutating func append(_ entry: EntryRow) {
    entries.append(entry)
    guard entry.version % CheckpointRow.interval == 0 else { return }
    checkpoints.append(
      CheckpointRow(
        account: entry.account, version: entry.version, entry: entry.number, transaction: entry.transaction,
        createdAt: scope.now))
  }

  /// Appends the allocations of an entry.
  ///
  /// - Parameter isWhole: Whether they add up to the entry's amount; only then may the entry name a single lot itself.
  mutating func allocate(
    _ takes: [LotTake], to entry: EntryNumber, isWhole: Bool
  ) -> (LotNumber, CompactList<Allocation>) {
    if takes.count > 1 || !isWhole {
      for (index, take) in takes.enumerated() {
        allocations.append(
          AllocationRow(entry: entry, position: Int64(index) + 1, lot: take.lot, amount: take.amount))
      }
    }
    let allocations = takes.map { Allocation(lot: $0.lot, source: $0.source, amount: $0.amount) }
    return (takes.count == 1 && isWhole ? takes[0].lot : 0, CompactList(allocations))
  }

  mutating func add(_ event: JournalEventRow) {
    var event = event
    if lastEvent.transaction == event.transaction {
      event.position = lastEvent.position + 1
    } else {
      positions[lastEvent.transaction] = lastEvent.position
      event.position = (positions[event.transaction] ?? 0) + 1
      isOutOfOrder = isOutOfOrder || event.transaction < newestTransaction
    }
    lastEvent = (event.transaction, event.position)
    newestTransaction = max(newestTransaction, event.transaction)
    var earlier: Int?
    if event.target != 0 { earlier = newestIndexes.updateValue(newEvents.count, forKey: event.target) }
    earlierIndexes.append(earlier ?? -1)
    newEvents.append(event)
  }

  /// Takes back that the newest transaction touches no balance.
  mutating func listNewestAsWithEntries() { transactionsWithoutEntries.removeLast() }

  /// Removes the note of the newest transaction.
  mutating func removeNewestNote() { notes.removeLast() }

  // MARK: Reading

  /// The end of the journal: any later transaction, of any lane, has a higher number.
  var end: TransactionNumber { sequences.lastBeside(transactions.last?.number ?? lastTransaction) }

  /// A transaction that this group booked, without its other rows.
  func own(_ number: TransactionNumber) -> TransactionRow? {
    guard let index = sequences.count(from: firstTransaction, to: number), transactions.indices.contains(index)
    else { return nil }
    return transactions[index]
  }

  /// A transaction of this group or an earlier one.
  func transaction(_ number: TransactionNumber) throws(LedgerError) -> TransactionRow? {
    if let own = own(number) { return own }
    return try scope.session.transaction(number)
  }

  /// A transaction that must exist.
  func known(_ number: TransactionNumber) throws(LedgerError) -> TransactionRow {
    guard let row = try transaction(number) else { throw .lacksTransaction(number) }
    return row
  }

  /// The entries and allocations of a transaction that this group booked.
  func postings(of row: TransactionRow) -> (entries: [EntryRow], allocations: [AllocationRow]) {
    // Entries and allocations are in the order of entries' numbers, and those of a transaction are adjacent.
    let first = entries.firstIndex(atOrAfter: row.firstEntry) { $0.number }
    let own = Array(entries[first...].prefix { $0.transaction == row.number })
    guard let entry = own.first, let last = own.last else { return ([], []) }
    let start = allocations.firstIndex(atOrAfter: entry.number) { $0.entry }
    return (own, Array(allocations[start...].prefix { $0.entry <= last.number }))
  }

  func events(
    of transaction: TransactionNumber, ofAny owners: [CustomerNumber]
  ) throws(LedgerError) -> [JournalEventRow] {
    let new = newEvents.filter { $0.transaction == transaction }
    return new.isEmpty ? try scope.session.events(of: transaction, ofAny: owners) : new
  }

  func events(
    about target: TransactionNumber, ofAny owners: [CustomerNumber]
  ) throws(LedgerError) -> [JournalEventRow] {
    // Events about transactions of this group are not in the storage yet.
    var known = own(target) != nil ? [] : try scope.session.events(about: target, ofAny: owners)
    if let moment = scope.moment { known.removeAll { $0.createdAt > moment.instant } }
    guard var index = newestIndexes[target] else { return known }
    var new: [JournalEventRow] = []
    while index >= 0 {
      new.append(newEvents[index])
      index = earlierIndexes[index]
    }
    return known + new.reversed()
  }
}

extension Array {
  /// The index of the first element with that number or a greater one, in an array in the order of numbers.
  fileprivate func firstIndex(atOrAfter number: Int64, by numberOf: (Element) -> Int64) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if numberOf(self[middle]) < number { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
