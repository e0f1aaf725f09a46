internal import GemLedger

/// The ranges of customers whose rows are read together into memory, each range once.
///
/// Neighbours are on the same pages, so that reading a row with them takes a tenth of the time of reading it alone. A
/// ledger that was just opened would read the rows of each customer alone.
struct NeighbourRanges {
  private static let size = 128

  /// Not every row that is not in memory is read with its neighbours: a process that runs one command reads no others,
  /// and the first large groups do not wait for all ranges.
  private let missesPerRange: Int
  /// The number of customers that the memory has places for; with more, neighbours would replace rows in use.
  private let countMax: Int
  private var missCount = 0
  private var isTooSmall = false
  private var areRead: [Bool] = []

  init(countMax: Int, missesPerRange: Int) {
    self.countMax = countMax
    self.missesPerRange = missesPerRange
  }

  /// Returns the customers to read with one who was not in memory; nil if only that one is to be read.
  mutating func range(around number: CustomerNumber) -> Range<CustomerNumber>? {
    if number >= countMax { isTooSmall = true }
    missCount += 1
    guard !isTooSmall, number >= 0, missCount % missesPerRange == 0 else { return nil }
    let place = Int(number) / Self.size
    if areRead.count <= place { areRead += Array(repeating: false, count: place + 1 - areRead.count) }
    guard !areRead[place] else { return nil }
    areRead[place] = true
    let start = Int64(place * Self.size)
    return start..<start + Int64(Self.size)
  }
}
