import GemLedger
import SimulatedStores
import StoreBackend

/// An id that a table shortened to its beginning and its end, such as `01a248be…3b4aeb0`.
///
/// Every command with an id accepts this form too, if exactly one id matches.
struct ShortenedID {
  let text: String
  let head: Substring
  let tail: Substring

  /// Nil for any text without exactly one ellipsis.
  init?(_ text: String) {
    let parts = text.split(separator: "…", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    (self.text, head, tail) = (text, parts[0], parts[1])
  }

  func fits(_ id: String) -> Bool {
    id.utf8.count > head.utf8.count + tail.utf8.count && id.hasPrefix(head) && id.hasSuffix(tail)
  }

  /// Returns the matching id; nil if none matches.
  ///
  /// - Throws: `LedgerError` with `invalid_identifier` if several fit, with these ids.
  func only(of ids: some Sequence<String>) throws(LedgerError) -> String? {
    var found: Set<String> = []
    for id in ids where fits(id) { found.insert(id) }
    guard found.count > 1 else { return found.first }
    throw ambiguous(found.sorted())
  }

  /// The most ids that an error names.
  static let namedCountMax = 10

  func ambiguous(_ ids: [String]) -> LedgerError {
    let named = ids.prefix(Self.namedCountMax).map(\.quotedForPeople).joined(separator: ", ")
    let more = ids.count > Self.namedCountMax ? ", and others" : ""
    return LedgerError(
      .invalidIdentifier, "\(text.quotedForPeople) fits several ids: \(named)\(more). Name one of them in full.",
      details: ids.prefix(Self.namedCountMax).enumerated().map { .text("candidates[\($0)]", $1) })
  }
}

// MARK: Transactions and holds

extension Invocation {
  func transactionID(_ text: String) throws(LedgerError) -> TransactionID {
    guard let id = ShortenedID(text) else { return try TransactionID(text) }
    return try transaction(id, word: "transaction", code: .transactionNotFound) { _ in true }
  }

  func holdID(_ text: String) throws(LedgerError) -> HoldID {
    guard let id = ShortenedID(text) else { return try HoldID(text) }
    return HoldID(try transaction(id, word: "hold", code: .holdNotFound) { $0 == .hold })
  }

  private func transaction(
    _ id: ShortenedID, word: String, code: LedgerError.Code, isWanted: (EntryKind) -> Bool
  ) throws(LedgerError) -> TransactionID {
    let found = try withLedger { (ledger) throws(LedgerError) in
      try ledger.transactions(fitting: id, isWanted: isWanted)
    }
    guard let first = found.first else {
      throw LedgerError(code, "No \(word) has an id like \(id.text.quotedForPeople).")
    }
    guard found.count == 1 else { throw id.ambiguous(found.map(\.description)) }
    return first
  }
}

extension Ledger {
  /// The most rows that are read to find a shortened id.
  private static let searchedCountMax = 2_000_000
  private static let pageSize = 10_000

  /// The transactions with such an id, in order; a page more than an error names at most.
  func transactions(
    fitting id: ShortenedID, isWanted: (EntryKind) -> Bool
  ) throws(LedgerError) -> [TransactionID] {
    guard let times = id.times else { return [] }
    return try storage.read { (snapshot) throws(LedgerError) -> [TransactionID] in
      let ids = TransactionIDMaker(salt: try snapshot.project().salt)
      let isOrdered = snapshot.commitsInOrder
      var position = FeedPosition(floor: isOrdered ? try Self.floor(before: times.lowerBound, in: snapshot) : 0)
      var found: [TransactionID] = []
      for _ in 0..<(Self.searchedCountMax / Self.pageSize) {
        let rows = try snapshot.feedTransactions(after: position, limit: Self.pageSize)
        for row in rows where times.contains(row.createdAt.milliseconds) && isWanted(row.kind) {
          let one = ids.id(number: row.number, createdAt: row.createdAt)
          if id.fits(one.description) { found.append(one) }
        }
        let isOver = isOrdered && (rows.last?.createdAt.milliseconds ?? .max) > times.upperBound
        if rows.count < Self.pageSize || isOver || found.count > ShortenedID.namedCountMax { return found }
        position.advance(past: rows.lazy.map(\.number), isOrdered: isOrdered)
      }
      guard found.isEmpty else { return found }
      throw LedgerError(.limitExceeded, "\(id.text.quotedForPeople) fits too many transactions; name the id in full.")
    }
  }

  /// A number with all transactions before the instant up to it, and none after the instant.
  private static func floor(
    before milliseconds: Int64, in snapshot: any StorageSnapshot
  ) throws(LedgerError) -> TransactionNumber {
    var (low, high): (TransactionNumber, TransactionNumber) = (0, try snapshot.sequences().transaction)
    while low < high {
      let middle = low + (high - low) / 2
      let next = try snapshot.feedTransactions(after: FeedPosition(floor: middle), limit: 1).first
      if let next, next.createdAt.milliseconds < milliseconds { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension ShortenedID {
  /// The instants of transactions with such an id, which begins with 48 bits of milliseconds; nil if no id begins so.
  fileprivate var times: ClosedRange<Int64>? {
    let digits = head.filter { $0 != "-" }.prefix(12)
    guard digits.utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }) else { return nil }
    func padded(_ filler: Character) -> Int64? {
      Int64(digits + String(repeating: filler, count: 12 - digits.count), radix: 16)
    }
    guard let first = padded("0"), let last = padded("f") else { return nil }
    return first...last
  }
}

// MARK: Customers

extension Invocation {
  /// Returns the customer of a required option.
  func customer(of option: String) throws(LedgerError) -> CustomerID { try customer(named: parsed.required(option)) }

  /// Returns the customer of an argument: a full id, or the shortened id of a customer.
  func customer(named text: String) throws(LedgerError) -> CustomerID {
    guard let id = ShortenedID(text) else { return try CustomerID(text) }
    let found = try withLedger { (ledger) throws(LedgerError) -> String? in
      // A full id may contain an ellipsis.
      let own = try CustomerID(text)
      do throws(LedgerError) { return try ledger.customerIDs(of: own).isEmpty ? nil : text } catch {
        guard error.code == .customerNotFound else { throw error }
      }
      var ids: [String] = []
      var cursor: PageCursor?
      repeat {
        let page = try ledger.customers(limit: Limits.historyPage, after: cursor)
        ids += page.customers.flatMap(\.ids).map(\.text).filter(id.fits)
        cursor = ids.count > ShortenedID.namedCountMax ? nil : page.next
      } while cursor != nil
      return try id.only(of: ids)
    }
    return try CustomerID(found ?? text)
  }
}

// MARK: Purchases and orders

extension LocalShop {
  /// Finds a transaction of the store by its id or its order id, in full or shortened.
  func transaction(named text: String) throws(LedgerError) -> ShopTransaction {
    if let id = ShortenedID(text) {
      let all = transactions()
      let fitting = all.filter { one in [one.id.text, one.transaction.orderID ?? ""].contains(where: id.fits) }
      if fitting.count > 1 { throw id.ambiguous(fitting.map { $0.transaction.orderID ?? $0.id.text }) }
      if let one = fitting.first { return one }
    } else if let one = transaction(try StoreTransactionID(text)) {
      return one
    }
    throw LedgerError(
      .purchaseNotFound, "The store has no transaction \(text.quotedForPeople); \"gemctl store list\" lists them.",
      details: [.text("store_transaction_id", text)])
  }
}

extension Invocation {
  /// Returns the id of a purchase: a full id, or the shortened id of a transaction of the home's store.
  func storeTransactionID(_ text: String) throws(LedgerError) -> StoreTransactionID {
    guard ShortenedID(text) != nil else { return try StoreTransactionID(text) }
    return try withClient(onlyReads: true) { (session) throws(LedgerError) in
      try session.store.transaction(named: text).id
    }
  }

  /// Returns a purchase code: a full code, or the shortened code of one of these orders.
  func purchaseCode(
    _ text: String, among orders: () async throws(LedgerError) -> [Order]
  ) async throws(LedgerError) -> PurchaseCode {
    guard let id = ShortenedID(text) else { return try PurchaseCode(text) }
    guard let code = try id.only(of: try await orders().map(\.code.description)) else {
      throw LedgerError(.orderNotFound, "No order has a code like \(text.quotedForPeople).")
    }
    return try PurchaseCode(code)
  }
}
