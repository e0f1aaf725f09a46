/// An open-addressing index from hashes to row numbers; the owner of the rows says which row is meant.
///
/// It keeps the hashes, so that growing looks at no row.
struct HashIndex {
  private struct Cell {
    var hash = 0
    /// The row plus one; 0 where the cell is free.
    var row = 0
  }

  private var cells = [Cell](repeating: Cell(), count: 1024)
  private var count = 0

  /// The first row with this hash that fits.
  @inline(__always)
  func find(_ hash: Int, fits: (Int) -> Bool) -> Int? {
    var index = hash & (cells.count - 1)
    while cells[index].row != 0 {
      if cells[index].hash == hash, fits(cells[index].row - 1) { return cells[index].row - 1 }
      index = (index + 1) & (cells.count - 1)
    }
    return nil
  }

  /// Adds a row that is not in the index yet.
  mutating func insert(_ hash: Int, row: Int) {
    if count * 2 >= cells.count { grow() }
    place(Cell(hash: hash, row: row + 1))
    count += 1
  }

  private mutating func place(_ cell: Cell) {
    var index = cell.hash & (cells.count - 1)
    while cells[index].row != 0 { index = (index + 1) & (cells.count - 1) }
    cells[index] = cell
  }

  private mutating func grow() {
    let old = cells
    cells = [Cell](repeating: Cell(), count: old.count * 2)
    for cell in old where cell.row != 0 { place(cell) }
  }
}
