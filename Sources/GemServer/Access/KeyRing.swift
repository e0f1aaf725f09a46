#if Server
package import GemLedger
internal import Synchronization

/// The keys of a project, kept in the ledger's storage, so that all servers of the project know them.
package final class KeyRing: KeyDirectory {
  /// How long a revoked key may still be taken, in milliseconds: keys are not read anew for each request.
  package static let freshMilliseconds: Int64 = 1000

  private static let prefix = "key/"

  private let ledger: Ledger
  private let clock: LedgerClock
  /// How many ids that are missing in the cache are looked up before the whole list is read again.
  ///
  /// The bound keeps a sender of invented keys from occupying the storage.
  package static let lookupCountMax = 32

  private struct Cache {
    var readAt = Timestamp(milliseconds: .min)
    /// By id; nil for an id that was looked up and does not exist.
    var keys: [String: APIKey?] = [:]
    var lookupCount = 0
  }

  private let cache = Mutex(Cache())

  package init(_ ledger: Ledger, clock: LedgerClock? = nil) {
    self.ledger = ledger
    self.clock = clock ?? ledger.clock
  }

  /// The key, as of a second ago at the latest; nil for a key that was created since.
  package func key(id: String) throws(LedgerError) -> APIKey? {
    let now = clock.now()
    let cached = cache.withLock { $0 }
    let age = now.milliseconds.subtractingReportingOverflow(cached.readAt.milliseconds)
    if !age.overflow, (0..<Self.freshMilliseconds).contains(age.partialValue) { return cached.keys[id] ?? nil }
    let keys = Dictionary(try all().map { ($0.id, APIKey?.some($0)) }, uniquingKeysWith: { first, _ in first })
    cache.withLock { $0 = Cache(readAt: now, keys: keys) }
    return keys[id] ?? nil
  }

  /// The key in the storage, so that a key is usable at once after its creation.
  ///
  /// At most ``lookupCountMax`` ids are looked up between two reads of the whole list; further ones are nil until then.
  package func newKey(id: String) throws(LedgerError) -> APIKey? {
    guard APIKey.isID(id) else { return nil }
    let mayLook = cache.withLock { cache in
      guard cache.keys[id] == nil, cache.lookupCount < Self.lookupCountMax else { return false }
      cache.lookupCount += 1
      return true
    }
    guard mayLook else { return cache.withLock { $0.keys[id] ?? nil } }
    var key: APIKey?
    if let document = try ledger.document(named: Self.prefix + id) { key = try Self.key(in: document) }
    cache.withLock { $0.keys[id] = .some(key) }
    return key
  }

  /// All keys, revoked ones too, oldest first.
  package func all() throws(LedgerError) -> [APIKey] {
    var (keys, last): ([APIKey], String?) = ([], nil)
    while true {
      let page = try ledger.documents(withPrefix: Self.prefix, after: last)
      for document in page { keys.append(try Self.key(in: document)) }
      guard let name = page.last?.name else { break }
      last = name
    }
    return keys.sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
  }

  /// Makes a key and keeps it; the text is nowhere but in the answer.
  package func create(_ kind: APIKey.Kind) throws(LedgerError) -> (key: APIKey, text: String) {
    let made = APIKey.make(kind, at: clock.now())
    try ledger.save(document: Self.prefix + made.key.id, content: made.key.document.text(), replacing: nil)
    return made
  }

  /// Ends a key for good; one that has ended stays as it is.
  ///
  /// - Throws: `LedgerError` with `invalid_request` where there is none, `condition_failed` where another process
  ///   changes it at the same time.
  @discardableResult
  package func revoke(_ id: String) throws(LedgerError) -> APIKey {
    guard APIKey.isID(id), let document = try ledger.document(named: Self.prefix + id) else {
      throw .invalid("There is no key \"\(id.prefix(100))\"; \"gemctl key list\" lists them.")
    }
    var key = try Self.key(in: document)
    guard key.revokedAt == nil else { return key }
    key.revokedAt = clock.now()
    try ledger.save(document: document.name, content: key.document.text(), replacing: document.version)
    return key
  }

  private static func key(in document: LedgerDocument) throws(LedgerError) -> APIKey {
    do throws(JSONError) {
      if let key = APIKey(try JSONValue.parse(document.content)) { return key }
    } catch {}
    throw LedgerError(.storageDamaged, "The key of the document \(document.name) cannot be read.")
  }
}
#endif
