/// Statements by their texts, which are literals: where a text lies says which one it is.
///
/// Open addressing. A dictionary's hash costs as much as binding a statement's values, and commands run a dozen.
struct StatementTable {
  private struct Cell {
    let address: UInt
    let statement: SQLiteStatement
  }

  private var cells: [Cell?] = Array(repeating: nil, count: 256)
  private var count = 0

  subscript(sql: StaticString) -> SQLiteStatement? {
    get { cells[place(of: Self.address(of: sql))]?.statement }
    set {
      guard let newValue else { return }
      if count * 2 >= cells.count { grow() }
      insert(Cell(address: Self.address(of: sql), statement: newValue))
    }
  }

  private static func address(of sql: StaticString) -> UInt { UInt(bitPattern: sql.utf8Start) }

  /// The text's cell, or the free one where it belongs.
  private func place(of address: UInt) -> Int {
    let mask = cells.count - 1
    var place = Int(truncatingIfNeeded: (address &* 0x9E37_79B9_7F4A_7C15) >> 32) & mask
    while let cell = cells[place], cell.address != address { place = (place + 1) & mask }
    return place
  }

  private mutating func insert(_ cell: Cell) {
    let place = place(of: cell.address)
    if cells[place] == nil { count += 1 }
    cells[place] = cell
  }

  private mutating func grow() {
    let old = cells
    cells = Array(repeating: nil, count: old.count * 2)
    count = 0
    for cell in old { if let cell { insert(cell) } }
  }
}
