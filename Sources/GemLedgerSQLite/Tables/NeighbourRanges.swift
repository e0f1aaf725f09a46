internal import GemLedger

/// The ranges of customers whose rows the writer reads together into memory, each range once.
///
/// Neighbours are on the same pages, so that few pages are read for many rows. In a ledger that was just opened, each
/// customer would be searched alone.
struct NeighbourRanges {
  private static let size = 128

  private let sizes: TableSizes
  private var highest: CustomerNumber = 0
  private var areKnown: [Bool] = []
  private var pending: [ClosedRange<CustomerNumber>] = []

  init(_ sizes: TableSizes) { self.sizes = sizes }

  /// Whether the rows of all customers have places in the writer's memory; otherwise neighbours would replace rows in
  /// use.
  var fitIntoCache: Bool { highest < RowCache.rowCount }

  /// Notes that a customer was searched by id.
  mutating func note(_ number: CustomerNumber) {
    highest = max(highest, number)
    guard (0..<Int64(CustomerHints.countMax)).contains(number) else { return }
    let place = Int(number) / Self.size
    if areKnown.count <= place { areKnown += Array(repeating: false, count: place + 1 - areKnown.count) }
    guard !areKnown[place] else { return }
    areKnown[place] = true
    let first = Int64(place * Self.size)
    pending.append(first...first + Int64(Self.size) - 1)
  }

  /// Returns the ranges to read before the next transaction; a process that runs one command has none.
  mutating func take() -> [ClosedRange<CustomerNumber>] {
    guard !pending.isEmpty else { return [] }
    let count = fitIntoCache ? sizes.rangesWithAccountsPerTransaction : sizes.rangesPerTransaction
    let taken = Array(pending.prefix(count))
    pending.removeFirst(taken.count)
    return taken
  }
}
