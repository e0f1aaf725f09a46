internal import GemLedger

/// The accounts and customers that the writing connection used last.
///
/// Even in a cached page, SQLite takes a microsecond to find and read a row, and nearly every command needs one of
/// each. As with SQLite's own cache, the rows are those of the last commit: this connection's commits update them, and
/// a commit of another connection or a failed transaction empties the cache. At most 33 MiB.
final class RowCache {
  /// What the connection is doing.
  private enum Stage {
    /// Nothing, or no transaction of a group.
    case idle
    /// The open transaction has written nothing, so it reads the rows of the last commit.
    case reading
    case writing
  }

  /// A customer with its own id, who is not merged into another.
  struct Customer {
    let id: CustomerID
    let found: FoundCustomer
  }

  // Only one thread at a time uses a connection and its tables, so these need no exclusivity checks.
  @exclusivity(unchecked) private var accounts = RowSlots<AccountRow>()
  @exclusivity(unchecked) private var customers = RowSlots<Customer>()
  @exclusivity(unchecked) private var stage = Stage.idle
  /// The version of the file's contents that other connections committed.
  private var version: Int64?
  /// The accounts that the open transaction wrote.
  private var written: [AccountRow] = []

  // MARK: Rows

  func account(_ number: AccountNumber) -> AccountRow? {
    guard stage == .reading, let row = accounts[Self.place(number)], row.number == number else { return nil }
    return row
  }

  func customer(_ number: CustomerNumber, _ id: CustomerID) -> FoundCustomer? {
    guard stage == .reading, let known = customers[number], known.found.number == number, known.id == id else {
      return nil
    }
    return known.found
  }

  func keep(_ row: AccountRow) {
    if stage == .reading { accounts[Self.place(row.number)] = row }
  }

  func keep(_ customer: Customer) {
    guard stage == .reading, customer.id.text.utf8.count <= Self.idByteCountMax else { return }
    customers[customer.found.number] = customer
  }

  /// The memory of longer ids would have no sensible bound.
  private static let idByteCountMax = 64

  /// The numbers of customers follow each other, and most have one currency or two.
  private static func place(_ number: AccountNumber) -> Int64 { number.customer &+ number.currency &* 50_021 }

  // MARK: Transactions

  /// - Parameter version: The value of `PRAGMA data_version` in the transaction.
  func begin(_ version: Int64) {
    if version != self.version { removeAll() }
    self.version = version
    stage = .reading
    written = []
  }

  /// Notes rows before they are written; until the commit, rows are read from the file.
  func write(_ changes: borrowing ChangeSet) {
    guard stage != .idle else { return }
    stage = .writing
    written += changes.newAccounts
    written += changes.changedAccounts
    guard let cold = changes.cold else { return }
    for row in cold.changedCustomers { customers[row.number] = nil }
    let namesChange = !(cold.addedIDs.isEmpty && cold.merges.isEmpty && cold.erasures.isEmpty && cold.idChanges.isEmpty)
    if namesChange { customers.removeAll() }
  }

  func commit() {
    stage = .idle
    for row in written { accounts[Self.place(row.number)] = row }
    written = []
  }

  func removeAll() {
    stage = .idle
    accounts.removeAll()
    customers.removeAll()
    written = []
  }
}

/// The last row of each place; numbers that are far from each other may share one.
private struct RowSlots<Row> {
  private struct Slot {
    var row: Row?
    var generation: UInt32 = 0
  }

  private static var chunkCount: Int { 128 }
  private static var chunkSize: Int { 1024 }

  /// Empty until the first row of each is kept.
  private var chunks: [[Slot]] = Array(repeating: [], count: Self.chunkCount)
  /// Slots of earlier generations are empty: several processes on a file empty the cache with every group.
  private var generation: UInt32 = 0

  subscript(number: Int64) -> Row? {
    get {
      let (chunk, place) = Self.place(number)
      guard !chunks[chunk].isEmpty, chunks[chunk][place].generation == generation else { return nil }
      return chunks[chunk][place].row
    }
    set {
      let (chunk, place) = Self.place(number)
      if chunks[chunk].isEmpty {
        guard newValue != nil else { return }
        chunks[chunk] = Array(repeating: Slot(), count: Self.chunkSize)
      }
      chunks[chunk][place] = Slot(row: newValue, generation: generation)
    }
  }

  private static func place(_ number: Int64) -> (chunk: Int, place: Int) {
    let place = Int(truncatingIfNeeded: number) & (chunkCount * chunkSize - 1)
    return (place / chunkSize, place % chunkSize)
  }

  mutating func removeAll() {
    generation &+= 1
    // The number of a generation must not return while slots still have it.
    if generation == 0 { self = Self() }
  }
}
