/// The slots of integers: open addressing, emptied in one step.
///
/// A dictionary would spend as much on hashes as a replay does on everything else.
package struct SlotTable: ~Copyable {
  @usableFromInline
  struct Cell {
    @usableFromInline var number: Int64 = 0
    @usableFromInline var slot: Int32 = 0
    /// The cell is taken when this is the table's generation.
    @usableFromInline var generation: UInt32 = 0

    @inlinable
    init(number: Int64 = 0, slot: Int32 = 0, generation: UInt32 = 0) {
      self.number = number
      self.slot = slot
      self.generation = generation
    }
  }

  @usableFromInline var cells: UnsafeMutablePointer<Cell>
  @usableFromInline var mask: Int
  @usableFromInline var generation: UInt32 = 1
  @usableFromInline var count = 0

  package init() {
    cells = Self.emptyCells(256)
    mask = 255
  }

  deinit { cells.deallocate() }

  @inlinable
  package subscript(number: Int64) -> Int? {
    let index = offset(of: number)
    return cells[index].generation == generation ? Int(cells[index].slot) : nil
  }

  /// Returns the number's slot, which is the given slot if the number is new.
  @inlinable
  package mutating func insert(_ number: Int64, slot: Int) -> Int {
    if count * 2 > mask { grow() }
    let index = offset(of: number)
    guard cells[index].generation != generation else { return Int(cells[index].slot) }
    cells[index] = Cell(number: number, slot: Int32(slot), generation: generation)
    count += 1
    return slot
  }

  package mutating func removeAll() {
    count = 0
    if generation == .max {
      cells.update(repeating: Cell(), count: mask + 1)
      generation = 0
    }
    generation += 1
  }

  /// Returns the numbers with slots that are wanted, in the order of slots.
  package func numbers(where isWanted: (Int) -> Bool) -> [Int64] {
    var found: [(slot: Int32, number: Int64)] = []
    for index in 0...mask where cells[index].generation == generation && isWanted(Int(cells[index].slot)) {
      found.append((cells[index].slot, cells[index].number))
    }
    return found.sorted { $0.slot < $1.slot }.map(\.number)
  }

  /// The number's cell, or the free cell for it.
  ///
  /// Multiplication by the golden ratio makes consecutive numbers differ in the high bits.
  @inlinable
  func offset(of number: Int64) -> Int {
    let mixed = UInt64(bitPattern: number) &* 0x9E37_79B9_7F4A_7C15
    var index = Int(truncatingIfNeeded: mixed >> 32) & mask
    while cells[index].generation == generation, cells[index].number != number { index = (index + 1) & mask }
    return index
  }

  @usableFromInline
  mutating func grow() {
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
