#if Server
package import GemLedger
internal import StoreBackend
internal import StoreReceipts
internal import Synchronization
internal import SystemCrypto

/// Stores posts and notifications that cannot be verified yet: a store key is missing, or the store does not answer.
///
/// They are unproven, so their number and size are limited: 64 KiB per body, 1,000 bodies per key, 100 MB per ledger.
/// Anyone can send notifications, so these are limited to 20 MB of it. Bodies are kept for 30 days (histories of the
/// App Store for 7), and equal bodies are stored once.
///
/// Each body is tried again after a minute, then with pauses that double up to an hour. All are tried after a start and
/// after a change of the catalog. Bodies are documents of the ledger, so copies contain them and exports do not.
package final class Quarantine: Sendable {
  /// The kind of a body.
  package enum Kind: String, Sendable, CaseIterable {
    /// The post of an app.
    case receipt
    /// A signed transaction; its customer's history at the App Store is to be credited.
    case appleHistory = "apple_history"
    /// A notification of the App Store.
    case appleNotice = "apple_notice"
    /// A notification of Google Play.
    case googleNotice = "google_notice"

    /// Whether bodies of this kind need no key.
    fileprivate var isOpen: Bool { self == .appleNotice || self == .googleNotice }

    /// The time for which a body is kept, in milliseconds.
    fileprivate var lifetime: Int64 {
      self == .appleHistory ? 7 * 86_400_000 : 30 * 86_400_000
    }
  }

  /// A body with the data of its request that another try needs.
  package struct Message: Hashable, Sendable {
    package let kind: Kind
    /// The receipt, the signed notification, or the body of the push request.
    package private(set) var text: String
    /// The customer of the post; empty for notifications.
    package var customer = ""
    /// The post's `ReceiptPost.Source`, as text; empty for notifications.
    package var source = ""
    /// The app at its store; empty if the request names none.
    package var packageName = ""
    /// The order that the post names; empty if it names none.
    package var order = ""
    /// The post's `ReceiptPost.OrderSearch`, as text; empty for none.
    package var orderSearch = ""
    /// The products at Google Play that the post names.
    package var productIDs: [String] = []
    /// The transaction that the post names; empty if it names none.
    package var transaction = ""
    /// The product of a purchase at the test store; empty unless a key of that store posted it.
    package var testProduct = ""

    /// Creates a body without a customer.
    package init(_ kind: Kind, _ text: String) {
      self.kind = kind
      self.text = text
    }

    /// The store to look the body up at.
    fileprivate var store: Store {
      switch kind {
      case .appleHistory, .appleNotice: .apple
      case .receipt where StoreKit1Receipt.isForm(of: text): .apple
      case .receipt, .googleNotice: .google
      }
    }

    /// Shortens a long receipt of StoreKit 1 to its beginning, and keeps the transaction id for its look-up.
    mutating func shortenStoreKit1() {
      guard text.utf8.count > Quarantine.bodyBytesMax, let receipt = StoreKit1Receipt(text),
        let id = transaction.isEmpty ? receipt.transactionIDs.first : transaction
      else { return }
      transaction = id
      text = String(text.prefix(1000))
    }
  }

  /// The result of another try.
  enum Outcome: Sendable {
    /// The body was applied, or proven worthless.
    case done
    /// The body cannot be verified yet.
    case later
    /// The store does not answer.
    case silent
  }

  /// The maximum size of a body, in bytes.
  static let bodyBytesMax = 65_536
  /// The maximum number of bodies per key.
  static let messagesPerKeyMax = 1000
  /// The maximum size of all documents, in bytes.
  static let bytesMax = 100_000_000
  /// The maximum size of all bodies without a key, in bytes.
  static let openBytesMax = 20_000_000
  /// The number of consecutive bodies without an answer of their store after which a round skips that store.
  static let silencesMax = 3

  /// The stored bodies as counted by this process; other processes may store more.
  struct Tally {
    var perKey: [String: Int] = [:]
    var bytes = 0
    /// The part of ``bytes`` for bodies without a key.
    var openBytes = 0
    var count = 0
  }

  private let ledger: Ledger
  private let clock: LedgerClock
  private let tally = Mutex<Tally?>(nil)

  /// Creates the quarantine of a ledger, with the bodies that earlier processes stored.
  package init(_ ledger: Ledger, clock: LedgerClock) {
    self.ledger = ledger
    self.clock = clock
  }

  /// The number of bodies as counted by this process; 0 before its first use.
  package var count: Int { tally.withLock { $0?.count ?? 0 } }

  // MARK: Keeping

  /// Stores a body, unless an equal body of the customer is stored.
  ///
  /// - Parameter key: The id of the caller's key, or a name for callers without one, such as a kind of notification.
  /// - Returns: False if there is no room, or if the body is longer than 64 KiB; nothing was stored then.
  /// - Throws: `LedgerError` of the storage.
  package func keep(_ message: Message, from key: String) throws(LedgerError) -> Bool {
    let entry = Entry(message: message, key: key, keptAt: clock.now(), tries: 0)
    let name = Self.name(of: message)
    guard message.text.utf8.count <= Self.bodyBytesMax else { return false }
    if try ledger.documents.find(named: name) != nil { return true }
    let size = entry.content.utf8.count
    try countKept()
    let hasRoom = tally.withLock { tally in
      guard var known = tally, known.perKey[entry.sender, default: 0] < Self.messagesPerKeyMax,
        known.bytes + size <= Self.bytesMax, !message.kind.isOpen || known.openBytes + size <= Self.openBytesMax
      else { return false }
      known.add(entry, size, 1)
      tally = known
      return true
    }
    guard hasRoom else { return false }
    var isSaved = false
    defer { if !isSaved { tally.withLock { $0?.add(entry, -size, -1) } } }
    isSaved = try ledger.documents.saveUnlessChanged(name, content: entry.content, replacing: nil) != nil
    return true
  }

  private static func name(of message: Message) -> String {
    let parts = [message.kind.rawValue, message.customer, message.text]
    // Most bodies have none of these.
    let others = [message.order, message.orderSearch, message.transaction, message.testProduct].filter { !$0.isEmpty }
    let digest = TextDigest.sha256(of: (parts + others).joined(separator: "\n"))
    return QuarantinedBodies.prefix + Hex.text(digest)
  }

  /// Counts the stored bodies once.
  private func countKept() throws(LedgerError) {
    guard tally.withLock({ $0 == nil }) else { return }
    var found = Tally()
    try forEach { (document, entry) in found.add(entry, document.content.utf8.count, 1) }
    tally.withLock { if $0 == nil { $0 = found } }
  }

  private func forEach(_ body: (LedgerDocument, Entry) throws(LedgerError) -> Void) throws(LedgerError) {
    var last: String?
    while true {
      let page = try ledger.documents.page(withPrefix: QuarantinedBodies.prefix, after: last)
      for document in page { if let entry = Entry(document.content) { try body(document, entry) } }
      guard page.count == Limits.documentsPerPage else { return }
      last = page.last?.name
    }
  }

  // MARK: Trying again

  /// Tries the due bodies again, or all; if a store does not answer, only the first few of that store.
  ///
  /// - Parameters:
  ///   - isAll: Whether to ignore the pauses, for example after a change of the configuration.
  ///   - giveUp: Called for a body that is removed unverified at the end of its lifetime.
  ///   - attempt: Verifies and applies a body.
  /// - Returns: The number of bodies tried, and of those removed.
  /// - Throws: `LedgerError` of the storage, and those of both closures.
  func retry(
    all isAll: Bool, giveUp: (Message) async throws(LedgerError) -> Void,
    _ attempt: (Message) async throws(LedgerError) -> Outcome
  ) async throws(LedgerError) -> (tried: Int, done: Int) {
    // Other servers add and remove bodies too.
    tally.withLock { $0 = nil }
    try countKept()
    var (tried, done) = (0, 0)
    var silences: [Store: Int] = [:]
    try await ledger.documents.each(withPrefix: QuarantinedBodies.prefix) { (document) throws(LedgerError) in
      guard !Task.isCancelled else { return false }
      guard let entry = Entry(document.content), isAll || entry.isDue(at: clock.now()),
        silences[entry.message.store, default: 0] < Self.silencesMax
      else { return true }
      tried += 1
      let outcome = try await attempt(entry.message)
      silences[entry.message.store] = outcome == .silent ? silences[entry.message.store, default: 0] + 1 : 0
      let isOver = outcome != .done && entry.isOver(at: clock.now())
      if isOver { try await giveUp(entry.message) }
      if outcome == .done || isOver {
        try remove(document, entry)
        done += 1
      } else {
        try ledger.documents.saveUnlessChanged(
          document.name, content: entry.triedAgain(at: clock.now()).content, replacing: document.version)
      }
      return true
    }
    return (tried, done)
  }

  /// Removes a body that was applied meanwhile; does nothing if it is not stored.
  func settle(_ message: Message) throws(LedgerError) {
    guard let document = try ledger.documents.find(named: Self.name(of: message)), let entry = Entry(document.content)
    else {
      return
    }
    try remove(document, entry)
  }

  private func remove(_ document: LedgerDocument, _ entry: Entry) throws(LedgerError) {
    // Another server may have tried the body at the same time.
    guard try ledger.documents.removeUnlessChanged(document) else { return }
    tally.withLock { $0?.add(entry, -document.content.utf8.count, -1) }
  }

  /// Removes all bodies posted under one of a customer's ids, for the customer's erasure.
  package func erase(_ ids: [CustomerID]) throws(LedgerError) {
    try QuarantinedBodies.erase(ids, in: ledger)
    // The next call of `keep` counts again.
    tally.withLock { $0 = nil }
  }
}

extension Quarantine.Tally {
  fileprivate mutating func add(_ entry: Quarantine.Entry, _ bytes: Int, _ count: Int) {
    perKey[entry.sender, default: 0] += count
    self.bytes += bytes
    if entry.message.kind.isOpen { openBytes += bytes }
    self.count += count
  }
}

extension Quarantine {
  /// A message with its key and times.
  fileprivate struct Entry {
    let message: Message
    let key: String
    let keptAt: Timestamp
    var tries: Int64
    var nextAt: Timestamp

    init(message: Message, key: String, keptAt: Timestamp, tries: Int64) {
      self.message = message
      self.key = key
      self.keptAt = keptAt
      self.tries = tries
      nextAt = RetryPauses.next(after: 0, at: keptAt)
    }

    /// The sender for the limit per key; histories count separately, so that purchases always have room.
    var sender: String { message.kind == .appleHistory ? "\(key)/\(message.kind.rawValue)" : key }

    /// - Parameter content: A text from ``content``; nil for any other text.
    init?(_ content: String) {
      guard let members = (try? JSONValue.parse(content))?.object, let text = members["text"]?.text,
        let kind = members["kind"]?.text.flatMap(Kind.init), let keptAt = members["kept_at"]?.integer
      else { return nil }
      var message = Message(kind, text)
      message.customer = members["customer"]?.text ?? ""
      message.source = members["source"]?.text ?? ""
      message.packageName = members["package"]?.text ?? ""
      message.order = members["order"]?.text ?? ""
      message.orderSearch = members["order_search"]?.text ?? ""
      message.productIDs = (members["products"]?.array ?? []).compactMap(\.text)
      message.transaction = members["transaction"]?.text ?? ""
      message.testProduct = members["test_product"]?.text ?? ""
      self.init(
        message: message, key: members["key"]?.text ?? "", keptAt: Timestamp(milliseconds: keptAt),
        tries: members["tries"]?.integer ?? 0)
      nextAt = Timestamp(milliseconds: members["next_at"]?.integer ?? 0)
    }

    var content: String {
      var members: JSONObject = [
        "kind": .string(message.kind.rawValue), "text": .string(message.text), "customer": .string(message.customer),
        "source": .string(message.source), "package": .string(message.packageName), "order": .string(message.order),
        "order_search": .string(message.orderSearch),
        "transaction": .string(message.transaction), "test_product": .string(message.testProduct),
        "key": .string(key), "kept_at": .integer(keptAt.milliseconds), "tries": .integer(tries),
        "next_at": .integer(nextAt.milliseconds),
      ]
      if !message.productIDs.isEmpty { members["products"] = .array(message.productIDs.map(JSONValue.string)) }
      return JSONValue.object(members).text()
    }

    func isDue(at now: Timestamp) -> Bool { RetryPauses.isDue(nextAt, at: now) }

    func isOver(at now: Timestamp) -> Bool { now.milliseconds(since: keptAt) >= message.kind.lifetime }

    func triedAgain(at now: Timestamp) -> Self {
      var entry = self
      entry.tries += 1
      entry.nextAt = RetryPauses.next(after: entry.tries, at: now)
      return entry
    }
  }
}
#endif
