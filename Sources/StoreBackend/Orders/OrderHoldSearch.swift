internal import GemLedger

/// Finds the orders that hold currency, in the journal's feed from where the last search ended.
///
/// How far it came is a document in the ledger: a restart, or another process, goes on from there and does not read the
/// whole journal again.
struct OrderHoldSearch {
  static let documentName = "order_holds/search"
  /// Orders that may wait at a time; the search rests while so many do, so that the document keeps its bounds.
  static let waitingCountMax = 10_000
  /// Pages between two saves of a long search.
  private static let pagesPerSave = 100

  private let ledger: Ledger
  private var cursor: FeedCursor?
  /// The orders with a hold that has not ended, in the order in which they were announced.
  private(set) var waiting: [PurchaseCode] = []
  private var savedText: String?
  private var version: Int64?

  /// Reads how far the last search came.
  init(in ledger: Ledger) throws(LedgerError) {
    self.ledger = ledger
    guard let document = try ledger.document(named: Self.documentName) else { return }
    version = document.version
    guard let (cursor, waiting) = Self.read(document.content) else { return }
    do throws(LedgerError) {
      if let cursor { _ = try ledger.feedPosition(at: cursor) }
    } catch {
      // A cursor that this feed did not give, such as in a document that was edited: the search begins again.
      guard error.code == .invalidRequest else { throw error }
      return
    }
    (self.cursor, self.waiting, savedText) = (cursor, waiting, document.content)
  }

  /// Reads the feed to its end; a cancelled task stops after a page.
  mutating func run() async throws(LedgerError) {
    var isWaiting = Dictionary(waiting.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    var (next, pageCount) = (waiting.count, 0)
    defer { waiting = Self.inOrder(isWaiting) }
    while !Task.isCancelled, isWaiting.count < Self.waitingCountMax {
      let page = try ledger.feed(after: cursor, limit: Limits.historyPage)
      for event in page.events {
        guard let code = OrderDocument.code(in: event.record.reference) else { continue }
        // All steps of one order's hold have its reference: any later one ends it.
        if event.record.booking.kind == .hold {
          isWaiting[code] = next
          next += 1
        } else {
          isWaiting[code] = nil
        }
      }
      if !page.events.isEmpty { cursor = page.next }
      pageCount += 1
      if pageCount % Self.pagesPerSave == 0 {
        waiting = Self.inOrder(isWaiting)
        try save()
      }
      guard page.hasMore else { return }
      // A long search leaves its thread to others now and then.
      await Task.yield()
    }
  }

  private static func inOrder(_ waiting: [PurchaseCode: Int]) -> [PurchaseCode] {
    waiting.sorted { $0.value < $1.value }.map(\.key)
  }

  /// Takes an order out of those that wait.
  mutating func remove(_ code: PurchaseCode) { waiting.removeAll { $0 == code } }

  /// Keeps how far it came, unless nothing moved or another process was faster.
  mutating func save() throws(LedgerError) {
    let text = content
    guard text != savedText else { return }
    do throws(LedgerError) {
      version = try ledger.save(document: Self.documentName, content: text, replacing: version).version
      savedText = text
    } catch {
      // The other one's search is as good; the next round begins with it.
      guard error.code == .conditionFailed else { throw error }
    }
  }

  // MARK: The document

  private var content: String {
    let document: JSONValue = [
      "cursor": cursor.map { .string($0.description) } ?? .null,
      "waiting": .array(waiting.map { .string($0.text) }),
    ]
    return document.text()
  }

  private static func read(_ content: String) -> (cursor: FeedCursor?, waiting: [PurchaseCode])? {
    do throws(JSONError) {
      let document = try JSONValue.parse(content)
      guard let waiting = document["waiting"]?.array else { return nil }
      return (
        document["cursor"]?.text.map { FeedCursor($0) }, waiting.compactMap { $0.text.flatMap(PurchaseCode.read) }
      )
    } catch {
      return nil
    }
  }
}

extension OrderDocument {
  private static let mark = "{\"order\":"

  /// The order whose hold the step with this reference belongs to.
  static func code(in reference: Reference?) -> PurchaseCode? {
    guard let text = reference?.text, text.hasPrefix(mark) else { return nil }
    do throws(JSONError) {
      return try JSONValue.parse(text)["order"]?.text.flatMap(PurchaseCode.read)
    } catch {
      return nil
    }
  }
}
