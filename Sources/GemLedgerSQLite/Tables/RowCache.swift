internal import GemLedger

/// The accounts, customers and keys that the writing connection used last.
///
/// Even in a cached page, SQLite takes a microsecond to find and read a row, and nearly every command needs one of
/// each. As with SQLite's own cache, the rows are those of the last commit: this connection's commits update them, and
/// a commit of another connection or a failed transaction empties the cache. At most 34 MiB.
final class RowCache {
  /// The number of accounts, and of customers, that have places.
  static let rowCount = RowSlots<AccountRow>.count

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
  /// The keys of the last commit; nil before the greatest key was read.
  @exclusivity(unchecked) var keys: RecentKeys?
  /// The version of the file's contents that other connections committed.
  private var version: Int64?
  /// The accounts that the open transaction wrote.
  private var written: [AccountRow] = []
  /// The UUID keys that the open transaction wrote.
  private var writtenKeys: [RecentKeys.UUID] = []
  /// A sum of bytes that were read ahead, so that the compiler keeps the reads.
  @exclusivity(unchecked) private var touched = 0

  // MARK: Rows

  /// Whether the cache has the rows that the open transaction reads.
  var isReading: Bool { stage == .reading }

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
    writtenKeys = []
  }

  /// Notes rows before they are written; until the commit, rows are read from the file.
  func write(_ changes: borrowing ChangeSet) {
    guard stage != .idle else { return }
    stage = .writing
    written += changes.newAccounts
    written += changes.changedAccounts
    if keys != nil { writtenKeys += changes.keys.lazy.compactMap { HexForm.parseUUID($0.key.text) } }
    guard let cold = changes.cold else { return }
    for row in cold.changedCustomers { customers[row.number] = nil }
    let namesChange = !(cold.addedIDs.isEmpty && cold.merges.isEmpty && cold.erasures.isEmpty && cold.idChanges.isEmpty)
    if namesChange { customers.removeAll() }
  }

  func commit() {
    stage = .idle
    for row in written { accounts[Self.place(row.number)] = row }
    written = []
    for key in writtenKeys { keys?.insert(key) }
    writtenKeys = []
  }

  func removeAll() {
    stage = .idle
    accounts.removeAll()
    customers.removeAll()
    written = []
    keys = nil
    writtenKeys = []
  }

  // MARK: Looking ahead

  /// Keeps rows that the body reads before a transaction; it drops them if another connection has committed since the
  /// last one.
  func readingAhead(_ body: () -> Void) {
    stage = .reading
    defer { stage = .idle }
    body()
  }

  /// Reads the rows of a few dozen customers, one kind of row after the other.
  ///
  /// With many customers nearly every row is a miss in the processor's cache. Independent reads overlap.
  func prefetchIntoCache(_ numbers: UnsafeMutableBufferPointer<CustomerNumber>) {
    guard stage == .reading else { return }
    for number in numbers { touched &+= customers.touch(number) }
    for number in numbers { touched &+= Int(customers[number]?.id.text.utf8.first ?? 0) }
    for currency in Int64(1)...2 {
      for number in numbers {
        touched &+= accounts.touch(Self.place(AccountNumber(customer: number, currency: currency)))
      }
    }
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
  static var count: Int { chunkCount * chunkSize }

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

  /// Reads every cache line of a slot, to bring it into the processor's cache.
  func touch(_ number: Int64) -> Int {
    let (chunk, place) = Self.place(number)
    guard !chunks[chunk].isEmpty else { return 0 }
    return chunks[chunk].withUnsafeBufferPointer { slots in
      guard let start = slots.baseAddress else { return 0 }
      let slot = UnsafeRawPointer(start + place)
      let last = MemoryLayout<Slot>.size - 1
      var sum = Int(slot.load(fromByteOffset: last, as: UInt8.self))
      for offset in stride(from: 0, to: last, by: 64) { sum &+= Int(slot.load(fromByteOffset: offset, as: UInt8.self)) }
      return sum
    }
  }

  private static func place(_ number: Int64) -> (chunk: Int, place: Int) {
    let place = Int(truncatingIfNeeded: number) & (count - 1)
    return (place / chunkSize, place % chunkSize)
  }

  mutating func removeAll() {
    generation &+= 1
    // The number of a generation must not return while slots still have it.
    if generation == 0 { self = Self() }
  }
}
