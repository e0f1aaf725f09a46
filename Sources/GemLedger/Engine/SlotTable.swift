/// Finds the slot of a number among those of the current group: open addressing, emptied in one step.
struct SlotTable {
  private struct Cell {
    var number: Int64 = 0
    var slot: Int32 = 0
    /// The cell is taken when this is the table's generation.
    var generation: UInt32 = 0
  }

  private var cells = [Cell](repeating: Cell(), count: 256)
  private var generation: UInt32 = 1
  private var count = 0

  subscript(number: Int64) -> Int? {
    var index = place(of: number)
    while cells[index].generation == generation {
      if cells[index].number == number { return Int(cells[index].slot) }
      index = (index + 1) & (cells.count - 1)
    }
    return nil
  }

  /// The number must not be in the table yet.
  mutating func insert(_ number: Int64, slot: Int) {
    if count * 2 >= cells.count { grow() }
    var index = place(of: number)
    while cells[index].generation == generation { index = (index + 1) & (cells.count - 1) }
    cells[index] = Cell(number: number, slot: Int32(slot), generation: generation)
    count += 1
  }

  mutating func removeAll() {
    count = 0
    guard generation < .max else {
      self = SlotTable()
      return
    }
    generation += 1
  }

  private func place(of number: Int64) -> Int {
    let mixed = UInt64(bitPattern: number) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: mixed >> 32) & (cells.count - 1)
  }

  private mutating func grow() {
    let old = cells
    cells = [Cell](repeating: Cell(), count: old.count * 2)
    count = 0
    for cell in old where cell.generation == generation { insert(cell.number, slot: Int(cell.slot)) }
  }
}
