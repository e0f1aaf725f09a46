/// The keys that commands of a group used.
struct KeyBook: ~Copyable {
  private let scope: GroupScope
  private var rows: [KeyRow] = []
  private var hashes: [Int] = []
  private var pending = PendingKeys()

  init(_ scope: GroupScope) { self.scope = scope }

  mutating func removeAll() {
    rows.removeAll(keepingCapacity: true)
    hashes.removeAll(keepingCapacity: true)
    pending.removeAll()
  }

  /// Moves the rows into the change set.
  mutating func collect(into changes: inout ChangeSet) {
    swap(&rows, &changes.keys)
    swap(&hashes, &changes.keyHashes)
  }

  /// Keeps the transaction as the answer of the command's key.
  @inline(__always)
  mutating func keep(
    _ booked: TransactionNumber, under key: IdempotencyKey, of command: LedgerCommand.Body, _ customer: CustomerNumber
  ) {
    add(
      KeyRow(customer: customer, key: key, fingerprint: command.fingerprint, booked: booked),
      hash: KeyHash.of(command.keyHash, customer: customer))
  }

  /// Keeps the refusal as the answer of the command's key.
  mutating func keep(
    _ refusal: LedgerError, after journalEnd: TransactionNumber, under key: IdempotencyKey,
    of command: LedgerCommand.Body, _ customer: CustomerNumber
  ) {
    add(
      KeyRow(
        customer: customer, key: key, fingerprint: command.fingerprint,
        outcome: .refused(KeptRefusal(refusal, after: journalEnd))),
      hash: KeyHash.of(command.keyHash, customer: customer))
  }

  @inline(__always)
  private mutating func add(_ row: consuming KeyRow, hash: Int) {
    pending.insert(hash: hash, index: rows.count)
    rows.append(row)
    hashes.append(hash)
  }

  /// Finds the use of the command's key under a customer's number, by this group or before it.
  @inline(__always)
  func earlier(
    _ key: IdempotencyKey, of command: LedgerCommand.Body, by customer: CustomerNumber
  ) throws(LedgerError) -> KeyRow? {
    let hash = KeyHash.of(command.keyHash, customer: customer)
    if let index = pending.index(of: key, customer: customer, hash: hash, in: rows) { return rows[index] }
    return try scope.session.key(key, customer: customer, hash: hash)
  }
}

/// The keys that commands of the current group used, by hash.
private struct PendingKeys: ~Copyable {
  private var slots = SlotTable()
  /// Further keys with a hash that is taken; nearly always empty.
  private var collisions: [Int] = []

  func index(of key: IdempotencyKey, customer: CustomerNumber, hash: Int, in rows: [KeyRow]) -> Int? {
    guard let first = slots[Int64(hash)] else { return nil }
    if Self.matches(rows[first], key, customer) { return first }
    return collisions.first { Self.matches(rows[$0], key, customer) }
  }

  mutating func insert(hash: Int, index: Int) {
    if slots.insert(Int64(hash), slot: index) != index { collisions.append(index) }
  }

  mutating func removeAll() {
    slots.removeAll()
    if !collisions.isEmpty { collisions.removeAll() }
  }

  private static func matches(_ row: KeyRow, _ key: IdempotencyKey, _ customer: CustomerNumber) -> Bool {
    row.customer == customer && row.key == key
  }
}
