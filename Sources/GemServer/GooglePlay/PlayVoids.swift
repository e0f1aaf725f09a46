#if Server
internal import GemLedger
internal import StoreBackend
internal import StoreReceipts
internal import SystemCrypto
internal import SystemHTTP

/// An order that Google Play lists as voided: refunded, charged back or revoked.
struct PlayVoid: Hashable, Sendable {
  let token: StoreTransactionID
  let orderID: String?
  let voidedAt: Timestamp
  /// The units of a refund by quantity; nil if the whole order was refunded.
  let units: Int64?
}

extension PlayDeveloperAPI {
  /// The maximum number of pages of a list; a list without an end is an error of the server.
  private static let pagesMax = 1000
  /// Most voided orders of a page; an entry has a few hundred bytes, and tokens may have 4,096.
  private static let entriesPerPage = 100
  /// The longest page, in bytes.
  private static let pageByteCountMax = 1024 * 1024

  /// Returns the voided orders of an app, in full and by quantity, of products and of subscriptions.
  ///
  /// - Parameter start: The time at which Google recorded the first voided order; at most 30 days ago.
  /// - Throws: `LedgerError` with `backend_unreachable`.
  func voids(of packageName: String, since start: Timestamp) async throws(LedgerError) -> [PlayVoid] {
    var (voids, page): ([PlayVoid], String?) = ([], nil)
    for _ in 0..<Self.pagesMax {
      let next = page.map { "&token=\(Percent.encoded($0))" } ?? ""
      let query = "startTime=\(start.milliseconds)&type=1&includeQuantityBasedPartialRefund=true"
      let size = "&maxResults=\(Self.entriesPerPage)\(next)"
      let reply = try await get(
        "voidedpurchases?\(query)\(size)", of: packageName, bodyByteCountMax: Self.pageByteCountMax)
      guard reply.isSuccess else {
        let refusal = PlayRefusal(reply).error
        throw refusal.code == .purchaseNotFound
          ? .google("Play does not list voided purchases: \(reply.status)") : refusal
      }
      guard let list = reply.isBodyCut ? nil : reply.json?.object else {
        throw .google("Play lists voided purchases in a form that is not known here")
      }
      voids += (list["voidedPurchases"]?.array ?? []).compactMap(PlayVoid.init)
      page = list["tokenPagination"]?["nextPageToken"]?.text
      if page == nil { return voids }
    }
    throw .google("Play's list of voided purchases does not end")
  }
}

extension PlayVoid {
  /// Returns nil for an entry that names no purchase.
  fileprivate init?(_ entry: JSONValue) {
    guard let token = try? StoreTransactionID(entry["purchaseToken"]?.text ?? ""),
      let voidedAt = entry["voidedTimeMillis"].flatMap({ $0.text.flatMap(Int64.init) ?? $0.integer })
    else { return nil }
    self.init(
      token: token, orderID: entry["orderId"]?.text, voidedAt: Timestamp(milliseconds: voidedAt),
      units: entry["voidedQuantity"].map { max(1, $0.integer ?? 1) })
  }
}

/// The position in an app's list of voided purchases, shared by all servers of a ledger.
private struct PlayVoidCursor {
  /// The time for which Google lists a voided purchase, in milliseconds.
  private static let listed: Int64 = 30 * 86_400_000
  /// The overlap of two reads, in milliseconds: Google may list a purchase later than its date.
  private static let overlap: Int64 = 86_400_000
  /// The pause between two reads, in milliseconds.
  private static let pause: Int64 = 3_600_000
  /// The shortest pause if notifications request a read, in milliseconds.
  private static let shortestPause: Int64 = 60_000

  /// The time up to which the list was read; nil before the first read.
  var readUntil: Timestamp?
  var dueAt = Timestamp(milliseconds: 0)
  var failures: Int64 = 0

  init() {}

  /// - Parameter content: A text from ``content``.
  init(_ content: String) {
    let members = try? JSONValue.parse(content)
    readUntil = members?["read_until"]?.integer.map(Timestamp.init(milliseconds:))
    dueAt = Timestamp(milliseconds: members?["due_at"]?.integer ?? 0)
    failures = max(0, members?["failures"]?.integer ?? 0)
  }

  var content: String {
    var members: JSONObject = ["due_at": .integer(dueAt.milliseconds), "failures": .integer(failures)]
    if let readUntil { members["read_until"] = .integer(readUntil.milliseconds) }
    return JSONValue.object(members).text()
  }

  func start(at now: Timestamp) -> Timestamp {
    let first = now.advanced(milliseconds: -Self.listed)
    // A time in the future was written by a clock that was ahead.
    guard let readUntil, readUntil <= now else { return first }
    return max(first, readUntil.advanced(milliseconds: -Self.overlap))
  }

  /// Returns the position at the begin of a read, which is due again after a pause unless it succeeds.
  func begun(at now: Timestamp) -> Self {
    var cursor = self
    cursor.dueAt = RetryPauses.next(after: failures, at: now)
    cursor.failures += 1
    return cursor
  }

  /// Returns the position after a successful read that began at this instant.
  func done(at start: Timestamp) -> Self {
    var cursor = self
    (cursor.readUntil, cursor.dueAt, cursor.failures) = (start, start.advanced(milliseconds: Self.pause), 0)
    return cursor
  }

  /// Returns the position after a notification of a voided purchase.
  func asked(at now: Timestamp) -> Self {
    var cursor = self
    let earliest = readUntil.map { max(now, $0.advanced(milliseconds: Self.shortestPause)) } ?? now
    cursor.dueAt = min(dueAt, earliest)
    return cursor
  }
}

// Google Play's list of voided purchases: the only proof of a subscription's refund, which its state never shows, and
// of refunds with lost notifications. It is read every hour, and after a notification of a refund.
extension PlayNotices {
  private static func document(of packageName: String) -> String {
    "play_voids/" + Hex.text(TextDigest.sha256(of: packageName))
  }

  /// Makes the next read of an app's list due.
  func readVoidsSoon(of packageName: String, in project: ServerProject) throws(LedgerError) {
    let name = Self.document(of: packageName)
    let saved = try project.ledger.documents.find(named: name)
    let cursor = saved.map { PlayVoidCursor($0.content) } ?? PlayVoidCursor()
    let asked = cursor.asked(at: project.clock.now())
    // A reading that has begun may not see the order: the changed version tells it to stay due.
    guard asked.dueAt < cursor.dueAt || cursor.failures > 0 else { return }
    try project.ledger.documents.saveUnlessChanged(name, content: asked.content, replacing: saved?.version)
  }

  /// Returns a job that reads due lists; it counts `listed` voided orders and `refunded` purchases.
  func voids(of project: ServerProject) -> MaintenanceJob {
    MaintenanceJob("play_voids") { now throws(LedgerError) in
      var (listed, refunded) = (0, 0)
      for packageName in try names(of: project) {
        let name = Self.document(of: packageName)
        let saved = try project.ledger.documents.find(named: name)
        let cursor = saved.map { PlayVoidCursor($0.content) } ?? PlayVoidCursor()
        // Among several servers, the server that saves this position reads the list.
        guard RetryPauses.isDue(cursor.dueAt, at: now),
          let begun = try project.ledger.documents.saveUnlessChanged(
            name, content: cursor.begun(at: now).content, replacing: saved?.version)
        else { continue }
        let voids = try await api.voids(of: packageName, since: cursor.start(at: now))
        guard let count = try await apply(voids, of: packageName, to: project) else { break }
        try finish(begun, readAt: now, in: project)
        (listed, refunded) = (listed + voids.count, refunded + count)
      }
      return ["listed": listed, "refunded": refunded]
    }
  }

  /// Saves the end of a reading; a notification that asked for another reading meanwhile keeps its date.
  private func finish(
    _ begun: LedgerDocument, readAt start: Timestamp, in project: ServerProject
  ) throws(LedgerError) {
    var document = begun
    while true {
      var done = PlayVoidCursor(document.content).done(at: start)
      if document.version != begun.version { done.dueAt = min(done.dueAt, PlayVoidCursor(document.content).dueAt) }
      let saved = try project.ledger.documents.saveUnlessChanged(
        document.name, content: done.content, replacing: document.version)
      guard saved == nil, let changed = try project.ledger.documents.find(named: document.name) else { return }
      document = changed
    }
  }

  /// Refunds the purchases of all voided orders.
  ///
  /// - Returns: The number of purchases with a new refund; nil if the server stops.
  /// - Throws: The first error; the other orders were tried unless Google stopped answering.
  private func apply(
    _ voids: [PlayVoid], of packageName: String, to project: ServerProject
  ) async throws(LedgerError) -> Int? {
    var (refunded, silences, failure): (Int, Int, LedgerError?) = (0, 0, nil)
    for void in voids {
      guard !Task.isCancelled else { return nil }
      do throws(LedgerError) {
        refunded += try await apply(void, of: packageName, to: project)
        silences = 0
      } catch {
        // Nothing is left to refund.
        if error.code == .receiptRevoked { continue }
        failure = failure ?? error
        silences = error.code == .backendUnreachable ? silences + 1 : 0
      }
      if silences == Self.silencesMax { break }
    }
    if let failure { throw failure }
    return refunded
  }

  /// The number of look-ups in a row without an answer after which a reading ends: other work waits for it.
  private static let silencesMax = 3
}
#endif
