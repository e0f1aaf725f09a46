internal import GemLedger

/// An account or a lot of a replay.
struct ReplayedRow<Row> {
  var row: Row
  /// Whether the storage does not have the row yet.
  var isNew: Bool
  /// Whether the page changed the row.
  fileprivate(set) var isChanged = false
  /// The customer under which the storage keeps a lot, if it differs from the row's customer.
  var movedFrom: CustomerNumber?

  init(row: Row, isNew: Bool) {
    self.row = row
    self.isNew = isNew
  }
}

/// The accounts or the lots of a replay by number, and those that the page changed.
///
/// The compiler specializes this class for both. It cannot specialize a map of another module, whose every access then
/// looks up the layout of the value.
final class ReplayedRows<Row> {
  private var slots = SlotTable()
  private var rows: [ReplayedRow<Row>] = []
  private var changed: [(number: Int64, slot: Int)] = []

  var count: Int { rows.count }

  subscript(number: Int64) -> ReplayedRow<Row>? {
    guard let slot = slots[number] else { return nil }
    return rows[slot]
  }

  /// Keeps a row that the page did not change, and that is not kept yet.
  func keep(_ row: ReplayedRow<Row>, _ number: Int64) {
    guard slots.insert(number, slot: rows.count) == rows.count else { return }
    rows.append(row)
  }

  /// Keeps a row that the page changed.
  func put(_ row: ReplayedRow<Row>, _ number: Int64) {
    let slot = slots.insert(number, slot: rows.count)
    var row = row
    row.isChanged = true
    if slot == rows.count {
      changed.append((number, slot))
      rows.append(row)
    } else {
      if !rows[slot].isChanged { changed.append((number, slot)) }
      rows[slot] = row
    }
  }

  /// Returns the changed rows in the order of their numbers.
  func changedInOrder() -> [ReplayedRow<Row>] {
    changed.sort { $0.number < $1.number }
    return changed.map { rows[$0.slot] }
  }

  /// Marks the rows as written and unchanged.
  func beginPage() {
    for (_, slot) in changed { rows[slot] = ReplayedRow(row: rows[slot].row, isNew: false) }
    changed.removeAll(keepingCapacity: true)
  }

  func removeAll() {
    slots.removeAll()
    rows.removeAll(keepingCapacity: true)
  }
}
