/// Finds the slot of a number among those of the current group: open addressing, emptied in one step.
struct SlotTable: ~Copyable {
  private struct Cell {
    var number: Int64 = 0
    var slot: Int32 = 0
    /// The cell is taken when this is the table's generation.
    var generation: UInt32 = 0
  }

  private var cells: UnsafeMutablePointer<Cell>
  private var mask: Int
  private var generation: UInt32 = 1
  private var count = 0

  init() {
    cells = Self.emptyCells(256)
    mask = 255
  }

  deinit { cells.deallocate() }

  subscript(number: Int64) -> Int? {
    let index = offset(of: number)
    return cells[index].generation == generation ? Int(cells[index].slot) : nil
  }

  /// Returns the number's slot, which is the given one where the number is new.
  mutating func insert(_ number: Int64, slot: Int) -> Int {
    if count * 2 > mask { grow() }
    let index = offset(of: number)
    guard cells[index].generation != generation else { return Int(cells[index].slot) }
    cells[index] = Cell(number: number, slot: Int32(slot), generation: generation)
    count += 1
    return slot
  }

  mutating func removeAll() {
    count = 0
    if generation == .max {
      cells.update(repeating: Cell(), count: mask + 1)
      generation = 0
    }
    generation += 1
  }

  /// The number's cell, or the free one where it belongs.
  private func offset(of number: Int64) -> Int {
    let mixed = UInt64(bitPattern: number) &* 0x9E37_79B9_7F4A_7C15
    var index = Int(truncatingIfNeeded: mixed >> 32) & mask
    while cells[index].generation == generation, cells[index].number != number { index = (index + 1) & mask }
    return index
  }

  private mutating func grow() {
    let (old, oldCount) = (cells, mask + 1)
    cells = Self.emptyCells(oldCount * 2)
    mask = oldCount * 2 - 1
    for index in 0..<oldCount where old[index].generation == generation {
      cells[offset(of: old[index].number)] = old[index]
    }
    old.deallocate()
  }

  private static func emptyCells(_ count: Int) -> UnsafeMutablePointer<Cell> {
    let cells = UnsafeMutablePointer<Cell>.allocate(capacity: count)
    cells.initialize(repeating: Cell(), count: count)
    return cells
  }
}
