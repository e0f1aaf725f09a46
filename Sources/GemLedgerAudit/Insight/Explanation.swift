public import GemLedger

/// An explanation of a balance: its current parts and its history, newest first.
public struct Explanation: Hashable, Sendable {
  /// The customer.
  public let customer: CustomerID
  /// The current balance and debt.
  public let balance: Balance
  /// The lots of the balance, in burning order.
  ///
  /// They are on the first page only, at most as many as the page may have entries.
  public let lots: [Lot]
  /// Whether there are more lots than listed.
  public let hasMoreLots: Bool
  /// The open holds by deadline, soonest first; on the first page only.
  public let holds: [Hold]
  /// The entries that changed the balance, newest first.
  public let entries: [Entry]
  /// The start of the next page; nil on the last page.
  public let next: PageCursor?

  /// A lot with a remaining or held amount.
  public struct Lot: Hashable, Sendable {
    /// The lot's origin.
    public let origin: LotOrigin
    /// The granted amount.
    public let granted: Int64
    /// The amount that can be spent.
    public let remaining: Int64
    /// The held amount.
    public let held: Int64
  }

  /// A hold's amount of the currency.
  public struct Hold: Hashable, Sendable {
    /// The transaction that created the hold.
    public let transactionID: TransactionID
    /// The creation time.
    public let createdAt: Timestamp
    /// The time at which the hold expires.
    public let deadline: Timestamp
    /// The held amount.
    public let amount: Int64
  }

  /// A change of the balance.
  public struct Entry: Hashable, Sendable {
    /// The transaction that made it.
    public let transactionID: TransactionID
    /// The kind of the entry.
    public let kind: EntryKind
    /// The booking time.
    public let createdAt: Timestamp
    /// The amount of the change.
    public let amount: Int64
    /// The balance after it.
    public let balance: Int64
    /// The customer's debt after it.
    public let debt: Int64
    /// The account's version after it.
    public let version: Int64
    /// The caller's name for the subject of the transaction.
    public let reference: Reference?
    /// The reason given by a person.
    public let reason: Reason?
    /// The person, service or key that sent the command.
    public let actor: ActorName?
    /// The items added or removed by the transaction.
    public let items: [PostedItem]
    /// The allocations of the amount to lots, in burning order.
    public let parts: [Part]
  }

  /// The part of an entry that was allocated to one lot.
  public struct Part: Hashable, Sendable {
    /// The lot's origin.
    public let lot: LotOrigin
    /// Negative when taken from the lot, positive when put into it.
    public let amount: Int64
  }
}

extension Ledger {
  /// Explains a balance: entry by entry, newest first, down to lots and receipts.
  ///
  /// The cost depends on the size of the page, not on the length of the history.
  ///
  /// - Parameters:
  ///   - currency: Must be in the catalog.
  ///   - customer: Must exist.
  ///   - limit: The maximum number of entries, and of lots, 1 to ``Limits/historyPage``.
  ///   - cursor: The end of the previous page; nil for the newest entries.
  /// - Throws: ``LedgerError`` with, in order of precedence, `limit_exceeded`, `customer_not_found`,
  ///   `unknown_currency`, `invalid_request` for a cursor of another list.
  public func explain(
    _ currency: CurrencyCode, customer: CustomerID, limit: Int = 100, after cursor: PageCursor? = nil
  ) throws(LedgerError) -> Explanation {
    try Limits.check(page: limit)
    return try reading { (snapshot, definitions) throws(LedgerError) -> Explanation in
      let found = try CustomerFinder(snapshot).customer(customer)
      let (currency, account) = try definitions.account(
        currency, customer: found.number, in: snapshot)
      var explainer = Explainer(
        snapshot: snapshot, definitions: definitions, account: account,
        owners: try CustomerFinder(snapshot).related(to: found))
      let list = InsightList.explanation(account.number)
      let before = try cursor?.position(list: list, salt: definitions.transactionIDs.salt)
      let newest = min(account.version, (before ?? .max) - 1)
      let rows = try AccountHistory(snapshot: snapshot, account: account).entries(
        after: max(0, newest - Int64(limit)), through: newest)
      let entries = try explainer.entries(rows.reversed())
      let moments = try moments(
        of: found, currency: currency.number, hasParts: cursor == nil, in: snapshot, definitions: definitions)
      let moment = moments.moment(account.number)
      var (lots, hasMoreLots, holds) = ([Explanation.Lot](), false, [Explanation.Hold]())
      if cursor == nil {
        let live = try LiveLots(snapshot: snapshot, moment: moment, now: moments.at)
        (lots, hasMoreLots) = try explainer.lots(live, unbooked: moment.parts?.unbooked ?? [], limit: limit)
        holds = try explainer.holds(live.holds, at: moments.at)
      }
      let next = rows.first.flatMap { row in
        row.version > 1 ? PageCursor(position: row.version, list: list, salt: definitions.transactionIDs.salt) : nil
      }
      return Explanation(
        customer: customer, balance: Balance(currency, definitions, moment), lots: lots, hasMoreLots: hasMoreLots,
        holds: holds, entries: entries, next: next)
    }
  }
}

/// Identifies the list of a cursor, so that another list refuses it.
enum InsightList {
  static func explanation(_ account: AccountNumber) -> Int64 { 1 << 62 | account.rawValue }
  static func statement(_ customer: CustomerNumber) -> Int64 { 1 << 61 | customer }
  static func spends(_ customer: CustomerNumber) -> Int64 { 3 << 60 | customer }
}

extension AccountHistory {
  /// Returns the entries after one version up to another, oldest first.
  func entries(after version: Int64, through newest: Int64) throws(LedgerError) -> [EntryRow] {
    guard newest > version else { return [] }
    var rows: [EntryRow] = []
    var current = try entry(version: newest)
    while let entry = current, entry.version > version {
      rows.append(entry)
      current = try previous(entry)
    }
    return rows.reversed()
  }
}

/// Assembles a page of an explanation.
private struct Explainer {
  let snapshot: any StorageSnapshot
  let definitions: CurrencyDefinitions
  let account: AccountRow
  let owners: [CustomerNumber]
  private var lotReader: LotReader

  init(snapshot: any StorageSnapshot, definitions: CurrencyDefinitions, account: AccountRow, owners: [CustomerNumber]) {
    self.snapshot = snapshot
    self.definitions = definitions
    self.account = account
    self.owners = owners
    lotReader = LotReader(snapshot: snapshot, definitions: definitions)
  }

  mutating func entries(_ rows: [EntryRow]) throws(LedgerError) -> [Explanation.Entry] {
    let found = try snapshot.notedTransactions(rows.map(\.transaction), ofAny: owners)
    var entries: [Explanation.Entry] = []
    for row in rows {
      guard let transaction = found[row.transaction] else { throw .lacksTransaction(row.transaction) }
      let (parts, note) = (transaction.parts, transaction.note)
      var taken = [(row.lot, row.amount)]
      if row.lot == 0 { taken = parts.allocations.filter { $0.entry == row.number }.map { ($0.lot, $0.amount) } }
      entries.append(
        Explanation.Entry(
          transactionID: definitions.transactionIDs.id(number: row.transaction, createdAt: parts.row.createdAt),
          kind: row.kind, createdAt: parts.row.createdAt, amount: row.amount, balance: row.balance, debt: row.debt,
          version: row.version, reference: note?.reference, reason: note?.reason, actor: note?.actor,
          items: parts.items.filter { $0.customer == row.account.customer }.map(PostedItem.init),
          parts: try taken.map { (lot, amount) throws(LedgerError) in
            Explanation.Part(lot: try lotReader.origin(of: lot, owner: row.account.customer), amount: amount)
          }))
    }
    return entries
  }

  // MARK: Current parts

  func holds(_ holds: [AccountHold], at now: Timestamp) throws(LedgerError) -> [Explanation.Hold] {
    var found: [Explanation.Hold] = []
    for hold in holds where hold.deadline > now {
      guard let row = try snapshot.transaction(hold.number) else { throw .lacksTransaction(hold.number) }
      found.append(
        Explanation.Hold(
          transactionID: definitions.transactionIDs.id(number: row.number, createdAt: row.createdAt),
          createdAt: row.createdAt, deadline: hold.deadline, amount: hold.amount))
    }
    return found
  }

  mutating func lots(
    _ live: LiveLots, unbooked: [LotAttributesRow], limit: Int
  ) throws(LedgerError) -> (lots: [Explanation.Lot], hasMore: Bool) {
    for definitions in unbooked { try lotReader.add(definitions) }
    let live = try live.all(
      paidFirst: definitions.currency(number: account.number.currency)?.burnsPaidFirst ?? false, limit: limit)
    var lots: [Explanation.Lot] = []
    for lot in live.lots {
      lots.append(
        Explanation.Lot(
          origin: try lotReader.origin(of: lot.number, owner: account.number.customer), granted: lot.granted,
          remaining: lot.remaining, held: lot.held))
    }
    return (lots, live.hasMore)
  }
}
