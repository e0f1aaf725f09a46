internal import GemLedger

/// Finds the orders that hold currency, from the position in the journal's feed at which the last search ended.
///
/// The ledger stores the position in a document: after a restart, or in another process, the search continues there and
/// does not read the whole journal again.
struct OrderHoldSearch {
  static let documentName = "order_holds/search"
  /// The maximum number of waiting orders; the search pauses at this number, so that the document stays small.
  static let waitingCountMax = 10_000
  /// Pages between two saves of a long search.
  private static let pagesPerSave = 100

  private let ledger: Ledger
  private var cursor: FeedCursor?
  /// The orders with an open hold, in the order of their announcement.
  private(set) var waiting: [PurchaseCode] = []
  private var savedText: String?
  private var version: Int64?

  /// Reads the position of the last search.
  init(in ledger: Ledger) throws(LedgerError) {
    self.ledger = ledger
    guard let document = try ledger.documents.find(named: Self.documentName) else { return }
    version = document.version
    guard let (cursor, waiting) = Self.read(document.content) else { return }
    do throws(LedgerError) {
      if let cursor { _ = try ledger.feedPlaces.position(at: cursor) }
    } catch {
      // The feed does not know the cursor, for example because the document was edited: the search restarts.
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
        // All steps of one order's hold have its reference: any step after the first ends the hold.
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
      // A long search yields to other tasks from time to time.
      await Task.yield()
    }
  }

  private static func inOrder(_ waiting: [PurchaseCode: Int]) -> [PurchaseCode] {
    waiting.sorted { $0.value < $1.value }.map(\.key)
  }

  /// Removes an order from the waiting orders.
  mutating func remove(_ code: PurchaseCode) { waiting.removeAll { $0 == code } }

  /// Saves the position, unless nothing changed or another process saved first.
  mutating func save() throws(LedgerError) {
    let text = content
    guard text != savedText else { return }
    do throws(LedgerError) {
      version = try ledger.documents.save(Self.documentName, content: text, replacing: version).version
      savedText = text
    } catch {
      // The other process's search is equally valid; the next round starts with it.
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

  /// Returns the order of the hold that contains the step with this reference.
  static func code(in reference: Reference?) -> PurchaseCode? {
    guard let text = reference?.text, text.hasPrefix(mark) else { return nil }
    do throws(JSONError) {
      return try JSONValue.parse(text)["order"]?.text.flatMap(PurchaseCode.read)
    } catch {
      return nil
    }
  }
}
