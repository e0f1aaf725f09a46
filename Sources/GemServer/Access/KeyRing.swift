#if Server
package import GemLedger
internal import Synchronization

/// The keys of a project, stored in the ledger's storage, so that all servers of the project know them.
package final class KeyRing: KeyDirectory {
  /// The time for which a revoked key may still work, in milliseconds: keys are cached.
  package static let freshMilliseconds: Int64 = 1000

  private static let prefix = "key/"

  private let ledger: Ledger
  private let clock: LedgerClock
  /// The number of uncached ids to look up before the whole list is read again.
  ///
  /// The limit keeps a sender of invented keys from occupying the storage.
  package static let lookupCountMax = 32

  private struct Cache {
    var readAt = Timestamp(milliseconds: .min)
    /// The keys by id; nil for an id that does not exist.
    var keys: [String: APIKey?] = [:]
    var lookupCount = 0
  }

  private let cache = Mutex(Cache())

  package init(_ ledger: Ledger, clock: LedgerClock? = nil) {
    self.ledger = ledger
    self.clock = clock ?? ledger.clock
  }

  /// Returns the key as of at most a second ago; nil for a key that was created since.
  package func key(id: String) throws(LedgerError) -> APIKey? {
    let now = clock.now()
    let cached = cache.withLock { cache -> APIKey?? in
      let age = now.milliseconds.subtractingReportingOverflow(cache.readAt.milliseconds)
      let isFresh = !age.overflow && (0..<Self.freshMilliseconds).contains(age.partialValue)
      return isFresh ? .some(cache.keys[id] ?? nil) : nil
    }
    if let cached { return cached }
    let keys = Dictionary(try all().map { ($0.id, APIKey?.some($0)) }, uniquingKeysWith: { first, _ in first })
    cache.withLock { $0 = Cache(readAt: now, keys: keys) }
    return keys[id] ?? nil
  }

  /// Returns the key in the storage, so that a new key is usable at once.
  ///
  /// At most ``lookupCountMax`` ids are looked up between two reads of the whole list; it returns nil for further ids.
  package func newKey(id: String) throws(LedgerError) -> APIKey? {
    guard APIKey.isID(id) else { return nil }
    let mayLook = cache.withLock { cache in
      guard cache.keys[id] == nil, cache.lookupCount < Self.lookupCountMax else { return false }
      cache.lookupCount += 1
      return true
    }
    guard mayLook else { return cache.withLock { $0.keys[id] ?? nil } }
    let key = try storedKey(id: id)
    cache.withLock { $0.keys[id] = .some(key) }
    return key
  }

  package func storedKey(id: String) throws(LedgerError) -> APIKey? {
    guard APIKey.isID(id), let document = try ledger.documents.find(named: Self.prefix + id) else { return nil }
    return try Self.key(in: document)
  }

  /// Returns all keys with the revoked keys, oldest first.
  package func all() throws(LedgerError) -> [APIKey] {
    var (keys, last): ([APIKey], String?) = ([], nil)
    while true {
      let page = try ledger.documents.page(withPrefix: Self.prefix, after: last)
      for document in page { keys.append(try Self.key(in: document)) }
      guard let name = page.last?.name else { break }
      last = name
    }
    return keys.sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
  }

  /// Creates and stores a key; only this result contains its text.
  package func create(_ kind: APIKey.Kind) throws(LedgerError) -> (key: APIKey, text: String) {
    let made = APIKey.make(kind, at: clock.now())
    try ledger.documents.save(Self.prefix + made.key.id, content: made.key.document.text(), replacing: nil)
    return made
  }

  /// Creates a key for the holder of a key, who cannot give scopes that the own key lacks.
  ///
  /// - Parameter scopes: The scopes of the holder's key.
  /// - Throws: `LedgerError` with `forbidden`.
  package func create(_ kind: APIKey.Kind, grantedBy scopes: [Scope]) throws(LedgerError) -> (key: APIKey, text: String)
  {
    try Self.check(kind, grantedBy: scopes)
    return try create(kind)
  }

  /// Checks that a holder of these scopes may create such a key.
  ///
  /// - Throws: `LedgerError` with `forbidden`.
  package static func check(_ kind: APIKey.Kind, grantedBy scopes: [Scope]) throws(LedgerError) {
    guard case .secret(let wanted) = kind, !scopes.isEmpty else { return }
    guard !wanted.isEmpty else {
      throw LedgerError(
        .forbidden, "A key without scopes may do everything, and only such a key can create one. Choose scopes.")
    }
    guard let missing = wanted.first(where: { !scopes.allow($0) }) else { return }
    throw LedgerError(
      .forbidden, "Your own key lacks the scope \(missing), so it cannot give it to another key.",
      details: [.text("scope", "\(missing)")])
  }

  /// Revokes a key for good; a revoked key is unchanged.
  ///
  /// - Throws: `LedgerError` with `invalid_request` if there is no such key; `condition_failed` if another process
  ///   changes it at the same time.
  @discardableResult
  package func revoke(_ id: String) throws(LedgerError) -> APIKey {
    guard APIKey.isID(id), let document = try ledger.documents.find(named: Self.prefix + id) else {
      throw .invalid("There is no key \"\(id.prefix(100))\"; \"gemctl key list\" lists them.")
    }
    var key = try Self.key(in: document)
    guard key.revokedAt == nil else { return key }
    key.revokedAt = clock.now()
    try ledger.documents.save(document.name, content: key.document.text(), replacing: document.version)
    return key
  }

  private static func key(in document: LedgerDocument) throws(LedgerError) -> APIKey {
    try APIKey(reading: document.reader())
  }
}
#endif
