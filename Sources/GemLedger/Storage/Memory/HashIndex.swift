/// An open-addressing index from hashes to row numbers; the owner of the rows says which row is meant.
struct HashIndex {
  private struct Cell {
    var tag: UInt32 = 0
    /// The row plus one; 0 where the cell is free.
    var row: UInt32 = 0
  }

  private var cells = [Cell](repeating: Cell(), count: 1024)
  private(set) var count = 0

  /// The first row with this hash that fits.
  func find(_ hash: Int, fits: (Int) -> Bool) -> Int? {
    let (tag, start) = split(hash)
    var index = start
    while cells[index].row != 0 {
      if cells[index].tag == tag, fits(Int(cells[index].row) - 1) { return Int(cells[index].row) - 1 }
      index = (index + 1) & (cells.count - 1)
    }
    return nil
  }

  /// Adds a row that is not in the index yet; `hashOf` gives the hashes of the others when the index must grow.
  mutating func insert(_ hash: Int, row: Int, hashOf: (Int) -> Int) {
    if count * 4 >= cells.count * 3 { grow(hashOf) }
    place(hash, row: row)
    count += 1
  }

  private mutating func place(_ hash: Int, row: Int) {
    let (tag, start) = split(hash)
    var index = start
    while cells[index].row != 0 { index = (index + 1) & (cells.count - 1) }
    cells[index] = Cell(tag: tag, row: UInt32(row + 1))
  }

  private func split(_ hash: Int) -> (tag: UInt32, start: Int) {
    let bits = UInt(bitPattern: hash)
    return (UInt32(truncatingIfNeeded: bits >> 32), Int(bits & UInt(cells.count - 1)))
  }

  private mutating func grow(_ hashOf: (Int) -> Int) {
    let old = cells
    cells = [Cell](repeating: Cell(), count: old.count * 2)
    for cell in old where cell.row != 0 { place(hashOf(Int(cell.row) - 1), row: Int(cell.row) - 1) }
  }
}
