internal import GemLedger

/// Idempotency keys with the outcomes of their requests.
final class KeyTable {
  private let statements: StatementRunner
  private let cache: RowCache

  init(_ statements: StatementRunner, _ cache: RowCache) {
    self.statements = statements
    self.cache = cache
  }

  func key(_ key: IdempotencyKey, customer: CustomerNumber) throws(LedgerError) -> KeyRow? {
    if try isCertainlyNew(key) { return nil }
    let path = statements.path
    let found = try statements.translating { () throws(SQLiteFailure) -> (Fingerprint, Int64?, String?)? in
      let statement = try statements.hot(.key)
      statement.bind(1, key: key)
      statement.bind(2, customer)
      guard try statement.step() else { return nil }
      defer { statement.reset() }
      return (
        Fingerprint(asked: statement.integer(0), qualifiers: statement.integer(1)),
        try statement.optionalTransaction(2), statement.optionalText(3)
      )
    }
    guard let (fingerprint, transaction, refusal) = found else { return nil }
    return KeyRow(
      customer: customer, key: key, fingerprint: fingerprint,
      outcome: try Self.outcome(transaction: transaction, refusal: refusal, path: path))
  }

  /// Whether the key needs no search.
  private func isCertainlyNew(_ key: IdempotencyKey) throws(LedgerError) -> Bool {
    guard cache.isReading, let uuid = HexForm.parseUUID(key.text) else { return false }
    if cache.keys == nil { cache.keys = try greatest().map { RecentKeys(after: $0) } }
    return cache.keys?.lacks(uuid) == true
  }

  /// Returns the greatest UUID; zero if the table has none, nil if it is damaged.
  private func greatest() throws(LedgerError) -> RecentKeys.UUID? {
    try statements.translating { () throws(SQLiteFailure) in
      let statement = try statements.hot(.lastKey)
      defer { statement.reset() }
      // A text sorts before every UUID, so a table that ends with one has none.
      guard try statement.step(), statement.isBlob(0) else { return (0, 0) }
      // A blob of another size is damage.
      return statement.keyWords(0)
    }
  }

  func keys(_ wanted: [IndexKey]) throws(LedgerError) -> [KeyRow] {
    var found: [KeyRow] = []
    for index in wanted {
      if let row = try key(IdempotencyKey(unchecked: index.text), customer: index.first) { found.append(row) }
    }
    return found
  }

  // MARK: Scanning

  func keys(after: KeyRow?, limit: Int) throws(LedgerError) -> [KeyRow] {
    try scan(
      "keys WHERE (key, customer) > (?1, ?2) ORDER BY key, customer LIMIT ?3", after: after, limit: limit)
  }

  func pages(
    _ kind: KeyKind, of size: Int, _ body: ([KeyRow]) throws(LedgerError) -> Void
  ) throws(LedgerError) {
    switch kind {
    case .booked(let start): try booked(after: start, of: size, body)
    case .notBooked: try notBooked(of: size, body)
    }
  }

  /// Searches ranges of as many keys as a page has.
  ///
  /// Over pages that form a cycle, one statement without such a key would never end.
  private func booked(
    after start: TransactionNumber, of size: Int, _ body: ([KeyRow]) throws(LedgerError) -> Void
  ) throws(LedgerError) {
    var last: KeyRow?
    while true {
      let found = try scan(
        """
        (SELECT * FROM keys WHERE (key, customer) > (?1, ?2) ORDER BY key, customer LIMIT ?3)
        WHERE transaction_number > ?4
        """, after: last, limit: size
      ) { $0.bind(4, start) }
      if !found.isEmpty { try body(found) }
      last = found.count == size ? found.last : try end(after: last, of: size)
      if last == nil { return }
    }
  }

  /// Returns the last key of a range; nil for the last range.
  private func end(after first: KeyRow?, of size: Int) throws(LedgerError) -> KeyRow? {
    try scan(
      "keys WHERE (key, customer) > (?1, ?2) ORDER BY key, customer LIMIT 1 OFFSET ?3", after: first, limit: size - 1
    ).first
  }

  /// Reads an index of their own: nearly all keys have a transaction.
  private func notBooked(of size: Int, _ body: ([KeyRow]) throws(LedgerError) -> Void) throws(LedgerError) {
    var last: KeyRow?
    while true {
      let found = try scan(
        """
        keys WHERE (key, customer) > (?1, ?2) AND (transaction_number IS NULL OR transaction_number <= 0)
        ORDER BY key, customer LIMIT ?3
        """, after: last, limit: size)
      if found.isEmpty { return }
      last = found.last
      try body(found)
    }
  }

  /// - Parameter source: The text after `FROM`.
  private func scan(
    _ source: StaticString, after: KeyRow?, limit: Int, _ bind: (SQLiteStatement) -> Void = { _ in }
  ) throws(LedgerError) -> [KeyRow] {
    try statements.scanned(
      try select(source), after: after, Self.precedes,
      { statement in
        // Text sorts before blobs, and nothing sorts before the empty text.
        if let after { statement.bind(1, key: after.key) } else { statement.bind(1, "") }
        statement.bind(2, after?.customer ?? -1)
        statement.bind(3, Int64(limit))
        bind(statement)
      }, Self.row)
  }

  private func select(_ source: StaticString) throws(LedgerError) -> SQLiteStatement {
    try statements.statement(source, of: KeyRow.self) { _ in
      "SELECT key, customer, request_digest, qualifier_digest, transaction_number, refusal FROM \(source)"
    }
  }

  /// Reads a row of ``select(_:)``.
  private static func row(_ statement: SQLiteStatement) throws(SQLiteFailure) -> KeyRow {
    KeyRow(
      customer: try statement.number(1), key: statement.key(0),
      fingerprint: Fingerprint(asked: statement.integer(2), qualifiers: statement.integer(3)),
      outcome: KeyRow.Outcome(
        transaction: try statement.optionalTransaction(4), refusal: statement.optionalText(5)))
  }

  /// Finds the keys of the newest transactions at the end of the texts and at the end of the UUIDs.
  ///
  /// Keys that begin with their time are there. The search ends soon if other keys are there.
  func newest(
    after number: TransactionNumber, digests: UInt64, limit: Int
  ) throws(LedgerError) -> [KeyRow]? {
    var search = NewestKeys(number: number, missing: digests, limit: limit)
    let uuids = try walk("keys WHERE key >= x'' ORDER BY key DESC, customer DESC", &search)
    let texts = try walk("keys WHERE key < x'' ORDER BY key DESC, customer DESC", &search)
    return search.hasAll ? texts.reversed() + uuids.reversed() : nil
  }

  private func walk(_ source: StaticString, _ search: inout NewestKeys) throws(LedgerError) -> [KeyRow] {
    let statement = try select(source)
    return try statements.translating { () throws(SQLiteFailure) in
      defer { statement.reset() }
      var found: [KeyRow] = []
      var last: KeyRow?
      search.restart()
      while search.goesOn, try statement.step() {
        let row = try Self.row(statement)
        if let last, !Self.precedes(row, last) { throw .notAscending }
        last = row
        if search.take(row) { found.append(row) }
      }
      return found
    }
  }

  /// Keys stored as sixteen bytes sort after keys stored as text.
  private static func precedes(_ one: KeyRow, _ other: KeyRow) -> Bool {
    let (isUUID, isOtherUUID) = (HexForm.parseUUID(one.key.text) != nil, HexForm.parseUUID(other.key.text) != nil)
    if isUUID != isOtherUUID { return isOtherUUID }
    return ByteOrder.precedes((one.key.text, one.customer), (other.key.text, other.customer))
  }

  // MARK: Writing

  func add(_ keys: [KeyRow]) throws(LedgerError) {
    try statements.insert(.addKey, keys, Self.bind)
  }

  /// Erases the keys of all customers that a commit erases.
  ///
  /// Keys are not stored by customer, so this is one pass over all keys.
  func erase(of erasures: [ErasureRow]) throws(LedgerError) {
    guard let first = erasures.map(\.transaction).min() else { return }
    try statements.run(
      "DELETE FROM keys WHERE customer IN (SELECT customer FROM erasures WHERE transaction_number >= ?1)", [first]
    ) { $0.bind(1, $1) }
  }

  private static func bind(_ statement: SQLiteStatement, _ row: KeyRow) {
    statement.bind(1, key: row.key)
    statement.bind(2, row.customer)
    statement.bind(3, row.fingerprint.asked)
    statement.bind(4, row.fingerprint.qualifiers)
    switch row.outcome {
    case .booked(let transaction):
      statement.bind(5, transaction)
      statement.bindNull(6)
    case .refused(let refusal):
      statement.bindNull(5)
      statement.bind(6, refusal.stored)
    }
  }

  private static func outcome(
    transaction: Int64?, refusal: String?, path: String
  ) throws(LedgerError) -> KeyRow.Outcome {
    if let transaction { return .booked(transaction) }
    guard let refusal, let error = KeptRefusal(stored: refusal) else {
      throw LedgerError(.storageDamaged, "\(path) has a key with neither a transaction nor a refusal. Run verify.")
    }
    return .refused(error)
  }
}

/// A search for the keys of the newest transactions.
private struct NewestKeys {
  /// The number of other keys to pass over, beyond as many as were found.
  private static let patience = 256

  let number: TransactionNumber
  /// The sum of the digests of the keys that were not found yet.
  private var missing: UInt64
  let limit: Int
  private var foundCount = 0
  private var passedCount = 0

  init(number: TransactionNumber, missing: UInt64, limit: Int) {
    self.number = number
    self.missing = missing
    self.limit = limit
  }

  /// It goes on when nothing is missing: a further key shows that the digests do not state all keys.
  var goesOn: Bool { foundCount <= limit && passedCount <= foundCount + Self.patience }

  var hasAll: Bool { missing == 0 && foundCount <= limit }

  mutating func restart() { passedCount = 0 }

  /// Returns whether the key is one of them.
  mutating func take(_ row: KeyRow) -> Bool {
    guard let booked = row.bookedTransaction, booked > number else {
      passedCount += 1
      return false
    }
    foundCount += 1
    missing &-= RowDigest.of(row)
    return true
  }
}
