#if Server
package import GemLedger
internal import StoreBackend
internal import StoreReceipts
internal import Synchronization
internal import SystemCrypto

/// Keeps posts and notifications that cannot be verified yet: a key of the store is missing, or it does not answer.
///
/// None of them is proven, so they are bounded: 64 KiB a body, 1,000 bodies a key, 100 MB a ledger, of which
/// notifications, which anybody can send, have 20 MB; 30 days (7 for histories of the App Store), and equal bodies are
/// kept once.
/// Each is tried again after a minute, then with pauses that double up to an hour; all are tried after a start and
/// after a change of the catalog. They are documents of the ledger, so copies have them and exports do not.
package final class Quarantine: Sendable {
  /// The kind of a body.
  package enum Kind: String, Sendable, CaseIterable {
    /// The post of an app.
    case receipt
    /// A signed transaction whose customer at the App Store has a history to credit.
    case appleHistory = "apple_history"
    /// A notification of the App Store.
    case appleNotice = "apple_notice"
    /// A notification of Google Play.
    case googleNotice = "google_notice"

    /// Whether it comes without a key.
    fileprivate var isOpen: Bool { self == .appleNotice || self == .googleNotice }

    /// How long it is kept, in milliseconds.
    fileprivate var lifetime: Int64 {
      self == .appleHistory ? 7 * 86_400_000 : 30 * 86_400_000
    }
  }

  /// A body with what it takes to try it again.
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

    /// A body without a poster.
    package init(_ kind: Kind, _ text: String) {
      self.kind = kind
      self.text = text
    }

    /// The store that it is asked about, if any is.
    fileprivate var store: Store {
      switch kind {
      case .appleHistory, .appleNotice: .apple
      case .receipt where StoreKit1Receipt.isForm(of: text): .apple
      case .receipt, .googleNotice: .google
      }
    }

    /// Keeps the beginning alone of a receipt of StoreKit 1 that is longer than what is kept, with the transaction
    /// that it is looked up by.
    mutating func shortenStoreKit1() {
      guard text.utf8.count > Quarantine.bodyBytesMax, let receipt = StoreKit1Receipt(text),
        let id = transaction.isEmpty ? receipt.transactionIDs.first : transaction
      else { return }
      transaction = id
      text = String(text.prefix(1000))
    }
  }

  /// What became of another try.
  enum Outcome: Sendable {
    /// It was applied, or proven to be nothing.
    case done
    /// Not yet.
    case later
    /// Not yet: the store does not answer.
    case silent
  }

  /// Longest body, in bytes.
  static let bodyBytesMax = 65_536
  /// Most bodies of one key.
  static let messagesPerKeyMax = 1000
  /// Most bytes of all documents together.
  static let bytesMax = 100_000_000
  /// Most bytes of those that come without a key.
  static let openBytesMax = 20_000_000
  /// After how many bodies in a row that a store does not answer a round leaves the others of that store alone.
  static let silencesMax = 3

  /// What is kept, as this process counts it; others may keep some too.
  struct Tally {
    var perKey: [String: Int] = [:]
    var bytes = 0
    /// Those that came without a key, of ``bytes``.
    var openBytes = 0
    var count = 0
  }

  private let ledger: Ledger
  private let clock: LedgerClock
  private let tally = Mutex<Tally?>(nil)

  /// The quarantine of a ledger, with the bodies that earlier processes kept.
  package init(_ ledger: Ledger, clock: LedgerClock) {
    self.ledger = ledger
    self.clock = clock
  }

  /// How many bodies are kept, as this process counts them; 0 before its first use.
  package var count: Int { tally.withLock { $0?.count ?? 0 } }

  // MARK: Keeping

  /// Keeps a body; an equal body of the same customer that is kept already stays as it is.
  ///
  /// - Parameter key: The id of the caller's key, or a name for callers without one, such as a kind of notification.
  /// - Returns: False if there is no room, or the body is longer than 64 KiB: nothing was kept.
  /// - Throws: `LedgerError` of the storage.
  package func keep(_ message: Message, from key: String) throws(LedgerError) -> Bool {
    let entry = Entry(message: message, key: key, keptAt: clock.now(), tries: 0)
    let name = Self.name(of: message)
    guard message.text.utf8.count <= Self.bodyBytesMax else { return false }
    if try ledger.document(named: name) != nil { return true }
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
    isSaved = try ledger.saveUnlessChanged(document: name, content: entry.content, replacing: nil) != nil
    return true
  }

  private static func name(of message: Message) -> String {
    let parts = [message.kind.rawValue, message.customer, message.text]
    // Most bodies have none of these.
    let others = [message.order, message.orderSearch, message.transaction, message.testProduct].filter { !$0.isEmpty }
    let digest = TextDigest.sha256(of: (parts + others).joined(separator: "\n"))
    return QuarantinedBodies.prefix + Hex.text(digest)
  }

  /// Counts what is there, once.
  private func countKept() throws(LedgerError) {
    guard tally.withLock({ $0 == nil }) else { return }
    var found = Tally()
    try forEach { (document, entry) in found.add(entry, document.content.utf8.count, 1) }
    tally.withLock { if $0 == nil { $0 = found } }
  }

  private func forEach(_ body: (LedgerDocument, Entry) throws(LedgerError) -> Void) throws(LedgerError) {
    var last: String?
    while true {
      let page = try ledger.documents(withPrefix: QuarantinedBodies.prefix, after: last)
      for document in page { if let entry = Entry(document.content) { try body(document, entry) } }
      guard page.count == Limits.documentsPerPage else { return }
      last = page.last?.name
    }
  }

  // MARK: Trying again

  /// Tries again what is due, or all; of a store that does not answer, the first few.
  ///
  /// - Parameters:
  ///   - isAll: Whether to ignore the pauses, as after a change of the configuration.
  ///   - giveUp: Called for a body that is removed unverified at the end of its time.
  ///   - attempt: Verifies and applies a body.
  /// - Returns: How many bodies were tried, and how many of them were removed.
  /// - Throws: `LedgerError` of the storage, and those of both closures.
  func retry(
    all isAll: Bool, giveUp: (Message) async throws(LedgerError) -> Void,
    _ attempt: (Message) async throws(LedgerError) -> Outcome
  ) async throws(LedgerError) -> (tried: Int, done: Int) {
    // Other servers keep some too, and settle some.
    tally.withLock { $0 = nil }
    try countKept()
    var (tried, done) = (0, 0)
    var silences: [Store: Int] = [:]
    try await ledger.eachDocument(withPrefix: QuarantinedBodies.prefix) { (document) throws(LedgerError) in
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
        try ledger.saveUnlessChanged(
          document: document.name, content: entry.triedAgain(at: clock.now()).content, replacing: document.version)
      }
      return true
    }
    return (tried, done)
  }

  /// Removes a body that was applied meanwhile; one that is not kept is none.
  func settle(_ message: Message) throws(LedgerError) {
    guard let document = try ledger.document(named: Self.name(of: message)), let entry = Entry(document.content) else {
      return
    }
    try remove(document, entry)
  }

  private func remove(_ document: LedgerDocument, _ entry: Entry) throws(LedgerError) {
    // Another server may have tried it at the same time.
    guard try ledger.removeUnlessChanged(document) else { return }
    tally.withLock { $0?.add(entry, -document.content.utf8.count, -1) }
  }

  /// Removes all bodies that a customer posted under one of the ids, for the customer's erasure.
  package func erase(_ ids: [CustomerID]) throws(LedgerError) {
    try QuarantinedBodies.erase(ids, in: ledger)
    // Counted anew when the next one is kept.
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
  /// A message with its place in time.
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

    /// Whose bodies it is counted among: histories, which prove nothing new, take no place of a purchase.
    var sender: String { message.kind == .appleHistory ? "\(key)/\(message.kind.rawValue)" : key }

    /// - Parameter content: As ``content`` gave it; nil for another document.
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
