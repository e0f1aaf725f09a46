/// A lot in the unit of work, and whether it must be written.
struct WorkingLot {
  var row: LotRow
  var isNew = false
  var isChanged = false
  /// Whether the lot was another account's before.
  var isMoved = false

  var position: LotPosition { LotPosition(expiresAt: row.expiresAt, lot: row.number) }
}

/// The lots of one account with rows of their own, as far as they are loaded.
///
/// An account may have a hundred thousand of them, so they come in pages, in the order of burning, the free and the
/// paid apart: every burn order is a merge of the two.
package struct LoadedLots {
  struct Stream {
    var lots: [WorkingLot] = []
    var isComplete = false
    /// Lots before this index hold nothing any more.
    var head = 0

    /// The position of the next page.
    var end: LotPosition?
  }

  var free = Stream()
  var paid = Stream()
  /// Lots that are not in the loaded pages: made by this group, or pooled lots that were fetched by their source.
  ///
  /// In the order of burning within each class.
  var extras: [WorkingLot] = []

  /// The lots of an account without open lots.
  static var empty: LoadedLots {
    var lots = LoadedLots()
    lots.free.isComplete = true
    lots.paid.isComplete = true
    return lots
  }

  /// Returns the total amount granted to a lot, with one more grant.
  ///
  /// A pooled lot may be filled and emptied for ever, so this stops at the largest number instead of passing it; no
  /// rule depends on it.
  package static func granted(_ granted: Int64, plus amount: Int64) -> Int64 {
    let (sum, overflow) = granted.addingReportingOverflow(amount)
    return overflow ? .max : sum
  }

  /// The position of a lot among the loaded ones.
  func lotSlot(of number: LotNumber) -> LotSlot? {
    if let index = extras.firstIndex(where: { $0.row.number == number }) { return .extra(index) }
    if let index = free.lots.firstIndex(where: { $0.row.number == number }) { return .free(index) }
    return paid.lots.firstIndex { $0.row.number == number }.map(LotSlot.paid)
  }

  subscript(lotSlot: LotSlot) -> WorkingLot {
    get {
      switch lotSlot {
      case .free(let index): free.lots[index]
      case .paid(let index): paid.lots[index]
      case .extra(let index): extras[index]
      case .pool: preconditionFailure("the pool is in the account's row")
      }
    }
    set {
      switch lotSlot {
      case .free(let index): free.lots[index] = newValue
      case .paid(let index): paid.lots[index] = newValue
      case .extra(let index): extras[index] = newValue
      case .pool: preconditionFailure("the pool is in the account's row")
      }
    }
  }

  /// The lot that a credit without price, purchase and expiry joins.
  func pooledLot(for credit: LotCredit) -> LotSlot? {
    func fits(_ lot: WorkingLot) -> Bool {
      lot.row.purchase == nil && lot.row.price == nil && lot.row.expiresAt == .max
        && lot.row.source == credit.source && lot.row.environment == credit.environment
    }
    if let index = extras.firstIndex(where: fits) { return .extra(index) }
    return free.lots.firstIndex(where: fits).map(LotSlot.free)
  }

  /// Changes the remaining amount of a lot; a return makes it no larger than it was.
  mutating func apply(_ take: LotTake, isReturn: Bool) {
    let before = self[take.lotSlot].row.remaining
    self[take.lotSlot].row.remaining += take.amount
    if take.amount > 0 {
      let row = self[take.lotSlot].row
      self[take.lotSlot].row.granted =
        isReturn ? max(row.granted, row.remaining) : Self.granted(row.granted, plus: take.amount)
    }
    self[take.lotSlot].isChanged = true
    guard before == 0 else { return }
    if case .free(let index) = take.lotSlot { free.head = min(free.head, index) }
    if case .paid(let index) = take.lotSlot { paid.head = min(paid.head, index) }
  }

  /// Removes a lot that moves to another account; the merged customer with this book gets no further commands.
  mutating func remove(at lotSlot: LotSlot) -> WorkingLot {
    switch lotSlot {
    case .free(let index):
      free.head = min(free.head, index)
      return free.lots.remove(at: index)
    case .paid(let index):
      paid.head = min(paid.head, index)
      return paid.lots.remove(at: index)
    case .extra(let index): return extras.remove(at: index)
    case .pool: preconditionFailure("the pool is in the account's row")
    }
  }

  /// When the next lot expires, `.max` for never; nil while that is not known.
  var nextExpiry: Int64? {
    guard free.isComplete || free.head < free.lots.count, paid.isComplete || paid.head < paid.lots.count else {
      return nil
    }
    var next = Int64.max
    if free.head < free.lots.count { next = min(next, free.lots[free.head].row.expiresAt) }
    if paid.head < paid.lots.count { next = min(next, paid.lots[paid.head].row.expiresAt) }
    for extra in extras where extra.row.remaining > 0 { next = min(next, extra.row.expiresAt) }
    return next
  }

  /// All that is loaded.
  var all: [WorkingLot] { free.lots + paid.lots + extras }

  /// The rows of all that is loaded, oldest first.
  var rows: [LotRow] { all.map(\.row).sorted { $0.number < $1.number } }

  /// Moves the heads past lots that hold nothing any more.
  mutating func skipEmptyLots() {
    while free.head < free.lots.count, free.lots[free.head].row.remaining == 0 { free.head += 1 }
    while paid.head < paid.lots.count, paid.lots[paid.head].row.remaining == 0 { paid.head += 1 }
  }

  /// Appends a page, without the lots that are loaded already.
  mutating func append(_ page: [LotRow], paid isPaid: Bool, isComplete: Bool) {
    let known = extras
    let end = page.last.map { LotPosition(expiresAt: $0.expiresAt, lot: $0.number) }
    let lots = page.filter { row in !known.contains { $0.row.number == row.number } }.map { WorkingLot(row: $0) }
    if isPaid {
      paid.lots += lots
      paid.isComplete = isComplete
      paid.end = end ?? paid.end
    } else {
      free.lots += lots
      free.isComplete = isComplete
      free.end = end ?? free.end
    }
  }
}

/// The position of a lot.
enum LotSlot: Hashable {
  /// In the account's row.
  case pool
  case free(Int)
  case paid(Int)
  case extra(Int)
}

/// How much is taken from, or put into, which lot.
struct LotTake {
  var lotSlot: LotSlot
  var lot: LotNumber
  var source: LotSource
  var amount: Int64
}

extension LoadedLots {
  /// The lots that were due to expire at a past instant, which are all that count then.
  init(due lots: [LotRow]) {
    self = .empty
    for lot in lots.sorted(by: { LotPosition(of: $0) < LotPosition(of: $1) }) {
      if lot.isPaid { paid.lots.append(WorkingLot(row: lot)) } else { free.lots.append(WorkingLot(row: lot)) }
    }
  }
}

extension LotPosition {
  fileprivate init(of row: LotRow) { self.init(expiresAt: row.expiresAt, lot: row.number) }
}
