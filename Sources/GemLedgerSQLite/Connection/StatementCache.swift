internal import GemLedger

/// The prepared statements of a connection, each prepared on first use and kept.
///
/// A statement's text is a literal, so its address identifies it. The table uses open addressing by addresses, since a
/// dictionary's hash costs as much as binding a statement's values. Statements that nearly every command runs also have
/// numbers: an array index took 21 ns with the call, an address 25 ns (medians of 7 runs of 36 million look-ups).
final class StatementCache {
  /// The statements that nearly every command runs.
  enum Hot: Int, CaseIterable {
    case begin
    case beginRead
    case commit
    case dataVersion
    case catalogVersion
    case lastTransaction
    case lastEntry
    case lastPlainTransaction
    case lastRun
    case runOfTransaction
    case runOfEntry
    case customer
    case hintedCustomer
    case account
    case bufferedAccount
    case lastAccount
    case lastBufferedAccount
    case key
    case lastKey
    case addTransaction
    case addEntry
    case addPlainTransaction
    case addKey
    case addNote
    case addAccount
    case setAccount
    case bufferAccount
    case sums
    case setSums

    var sql: String {
      switch self {
      case .begin: "BEGIN IMMEDIATE"
      case .beginRead: "BEGIN"
      case .commit: "COMMIT"
      case .dataVersion: "PRAGMA data_version"
      case .catalogVersion: SQL.catalogVersion
      case .lastTransaction: SQL.lastTransaction
      case .lastEntry: SQL.lastEntry
      case .lastPlainTransaction: SQL.lastPlainTransaction
      case .lastRun: SQL.lastRun
      case .runOfTransaction: SQL.runOfTransaction
      case .runOfEntry: SQL.runOfEntry
      case .customer: SQL.customer
      case .hintedCustomer: SQL.hintedCustomer
      case .account: SQL.account
      case .bufferedAccount: SQL.bufferedAccount
      case .lastAccount: SQL.lastAccount
      case .lastBufferedAccount: SQL.lastBufferedAccount
      case .key: SQL.key
      case .lastKey: SQL.lastKey
      case .addTransaction: SQL.addTransaction
      case .addEntry: SQL.addEntry
      case .addPlainTransaction: SQL.addPlainTransaction
      case .addKey: SQL.addKey
      case .addNote: SQL.addNote
      case .addAccount: SQL.addAccount
      case .setAccount: SQL.setAccount
      case .bufferAccount: SQL.bufferAccount
      case .sums: SQL.sums
      case .setSums: SQL.setSums
      }
    }
  }

  /// The identity of a statement.
  private struct Place: Equatable {
    /// The address of its text, or of its literal part.
    let address: UInt
    /// The type of the rows that determines the rest of the text; 0 for none.
    var type: UInt = 0
  }

  private struct Cell {
    let place: Place
    let statement: SQLiteStatement
  }

  private let connection: SQLiteConnection
  // Only one thread at a time uses a connection and its statements, so these need no exclusivity checks.
  @exclusivity(unchecked) private var hot = [SQLiteStatement?](repeating: nil, count: Hot.allCases.count)
  /// The insertions of many rows.
  @exclusivity(unchecked) private var many = [SQLiteStatement?](repeating: nil, count: Hot.allCases.count)
  @exclusivity(unchecked) private var cells: [Cell?] = Array(repeating: nil, count: 256)
  private var count = 0

  init(_ connection: SQLiteConnection) { self.connection = connection }

  @inline(__always)
  func callAsFunction(_ kind: Hot) throws(SQLiteFailure) -> SQLiteStatement {
    if let statement = hot[kind.rawValue] { return statement }
    return try prepare(kind)
  }

  private func prepare(_ kind: Hot) throws(SQLiteFailure) -> SQLiteStatement {
    let statement = try connection.prepare(kind.sql)
    hot[kind.rawValue] = statement
    return statement
  }

  /// Returns the insertion of ``SQL/rowsPerInsertion`` rows.
  @inline(__always)
  func many(_ insertion: Hot) throws(SQLiteFailure) -> SQLiteStatement {
    if let statement = many[insertion.rawValue] { return statement }
    let statement = try connection.prepare(SQL.inserting(manyRowsLike: insertion.sql))
    many[insertion.rawValue] = statement
    return statement
  }

  func callAsFunction(_ sql: StaticString) throws(SQLiteFailure) -> SQLiteStatement {
    try statement(at: Place(address: UInt(bitPattern: sql.utf8Start))) { sql.description }
  }

  /// - Parameters:
  ///   - index: The identity of an index.
  ///   - sql: Returns the text of the statement that reads rows by the index.
  func callAsFunction(
    _ index: ObjectIdentifier, isPage: Bool, _ sql: () -> String
  ) throws(SQLiteFailure) -> SQLiteStatement {
    // No literal has the address of an object.
    try statement(at: Place(address: UInt(bitPattern: index), type: isPage ? 1 : 0), sql)
  }

  /// - Parameters:
  ///   - text: The part of the statement that distinguishes it from other statements over rows of the type.
  ///   - type: The type of the rows.
  ///   - sql: Returns the whole text.
  func callAsFunction(
    _ text: StaticString, of type: ObjectIdentifier, _ sql: () -> String
  ) throws(SQLiteFailure) -> SQLiteStatement {
    try statement(
      at: Place(address: UInt(bitPattern: text.utf8Start), type: UInt(bitPattern: type)), sql)
  }

  @inline(__always)
  private func statement(at place: Place, _ sql: () -> String) throws(SQLiteFailure) -> SQLiteStatement {
    if let cell = cells[slot(of: place)] { return cell.statement }
    let statement = try connection.prepare(sql())
    if count * 2 >= cells.count { grow() }
    insert(Cell(place: place, statement: statement))
    return statement
  }

  /// Returns the statement's slot, or the free slot for it.
  private func slot(of place: Place) -> Int {
    let mask = cells.count - 1
    var slot = Int(truncatingIfNeeded: ((place.address ^ place.type) &* 0x9E37_79B9_7F4A_7C15) >> 32) & mask
    while let cell = cells[slot], cell.place != place { slot = (slot + 1) & mask }
    return slot
  }

  private func insert(_ cell: Cell) {
    cells[slot(of: cell.place)] = cell
    count += 1
  }

  private func grow() {
    let old = cells
    cells = Array(repeating: nil, count: old.count * 2)
    count = 0
    for cell in old { if let cell { insert(cell) } }
  }
}
