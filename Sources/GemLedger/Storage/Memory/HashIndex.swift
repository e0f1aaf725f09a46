/// An open-addressing index from hashes to row numbers; the owner of the rows compares the keys.
///
/// It stores half of each hash, so that growing reads no row and a cell takes eight bytes.
struct HashIndex: ~Copyable {
  private struct Cell {
    var hash: UInt32 = 0
    /// The row plus one; 0 if the cell is free.
    var row: UInt32 = 0
  }

  private var cells: UnsafeMutablePointer<Cell>
  private var mask: Int
  private var count = 0

  init() {
    cells = Self.emptyCells(1024)
    mask = 1023
  }

  deinit { cells.deallocate() }

  /// Returns the first row with this hash that fits.
  @inline(__always)
  func find(_ hash: Int, fits: (Int) -> Bool) -> Int? {
    let half = UInt32(truncatingIfNeeded: hash)
    var index = Int(half) & mask
    while cells[index].row != 0 {
      if cells[index].hash == half, fits(Int(cells[index].row) - 1) { return Int(cells[index].row) - 1 }
      index = (index + 1) & mask
    }
    return nil
  }

  /// Reads the first cell of a search for the hash, to bring it into the processor's cache.
  @inline(__always)
  func touch(_ hash: Int) -> Int { Int(cells[Int(UInt32(truncatingIfNeeded: hash)) & mask].row) }

  /// Adds a row that is not in the index yet.
  mutating func insert(_ hash: Int, row: Int) {
    if count * 2 > mask { grow() }
    offset(Cell(hash: UInt32(truncatingIfNeeded: hash), row: UInt32(row + 1)))
    count += 1
  }

  private func offset(_ cell: Cell) {
    var index = Int(cell.hash) & mask
    while cells[index].row != 0 { index = (index + 1) & mask }
    cells[index] = cell
  }

  private mutating func grow() {
    let (old, oldCount) = (cells, mask + 1)
    cells = Self.emptyCells(oldCount * 2)
    mask = oldCount * 2 - 1
    for index in 0..<oldCount where old[index].row != 0 { offset(old[index]) }
    old.deallocate()
  }

  private static func emptyCells(_ count: Int) -> UnsafeMutablePointer<Cell> {
    let cells = UnsafeMutablePointer<Cell>.allocate(capacity: count)
    cells.initialize(repeating: Cell(), count: count)
    return cells
  }
}
