public import GemLedger

/// The changes of a customer's balances in a period.
public struct Statement: Hashable, Sendable {
  /// The customer, as asked for.
  public let customer: CustomerID
  /// Where the period begins; nil for the beginning of everything.
  public let from: Timestamp?
  /// Where the period ends, the instant itself not in it.
  public let until: Timestamp
  /// Each currency that the customer had at some time up to the end, in the order of codes.
  public let currencies: [Currency]
  /// The lines of the period, oldest first.
  ///
  /// There are at least as many as asked for where there are more, because the lines of one transaction stand on one
  /// page.
  public let lines: [Line]
  /// Where the next page begins; nil on the last page.
  public let next: PageCursor?

  /// The statement of one currency.
  ///
  /// Opening balance less debt, with the amount due then, plus all lines, equals closing balance less debt, with the
  /// amount due then.
  public struct Currency: Hashable, Sendable {
    /// Which one.
    public let currency: CurrencyCode
    /// The state just before the period.
    public let opening: State
    /// The state at the end of the period.
    public let closing: State
    /// The sums of this page's lines, by kind; the sums of all pages are the period's.
    public let totals: [EntryKind: Int64]
  }

  /// The state of a currency at an instant.
  public struct State: Hashable, Sendable {
    /// The customer's balance; expired amounts are not in it.
    public let balance: Int64
    /// The held part of it.
    public let held: Int64
    /// The customer's debt.
    public let debt: Int64
    /// The sum of due effects that were booked later, most often an expiry: positive where it took something.
    public let due: Int64
  }

  /// A change of a balance.
  public struct Line: Hashable, Sendable {
    /// The transaction that made it.
    public let transactionID: TransactionID
    /// Which currency.
    public let currency: CurrencyCode
    /// Why.
    public let kind: EntryKind
    /// When it was booked.
    public let createdAt: Timestamp
    /// By how much.
    public let amount: Int64
    /// The balance after it, as booked.
    public let balance: Int64
    /// The customer's debt after it.
    public let debt: Int64
    /// The caller's own name for the subject of the transaction.
    public let reference: Reference?
    /// The reason that a person gave.
    public let reason: Reason?
    /// The items that came or went with it; on the transaction's first line only.
    public let items: [PostedItem]
  }
}

extension Ledger {
  /// Returns a customer's statement for a period: opening balances, lines oldest first, closing balances.
  ///
  /// The cost is that of the page, however long the history and the period. Later spends, refunds and merges do not
  /// change it, for the customer that the id named at the end of the period.
  ///
  /// - Parameters:
  ///   - customer: Must exist.
  ///   - from: Where the period begins; nil for the beginning of everything.
  ///   - until: Where it ends, the instant itself not in it; nil for now.
  ///   - limit: How many lines, 1 to ``Limits/historyPage``.
  ///   - cursor: Where the page before ended; nil for the first. The period must be that of the page before.
  /// - Throws: ``LedgerError`` with, in order of precedence, `limit_exceeded`, `invalid_request` for a period that ends
  ///   before it begins, `customer_not_found`, `invalid_request` for a cursor that this list did not give.
  public func statement(
    of customer: CustomerID, from: Timestamp? = nil, until: Timestamp? = nil, limit: Int = 100,
    after cursor: PageCursor? = nil
  ) throws(LedgerError) -> Statement {
    try Limits.check(page: limit)
    return try reading { (snapshot, definitions) throws(LedgerError) -> Statement in
      let now = try now(in: snapshot)
      // Transactions booked at this very instant are in it.
      let end = until ?? now.after
      if let from, from > end { throw .invalid("The period ends at \(end), before it begins at \(from).") }
      let then = try CustomerFinder(snapshot).customer(customer, at: end.before)
      let (number, found) = (then.number, try CustomerFinder(snapshot).customer(customer))
      var writer = StatementWriter(
        snapshot: snapshot, definitions: definitions, owners: try CustomerFinder(snapshot).related(to: found),
        opening: try from.map { (from) throws(LedgerError) in
          try moments(of: then, at: from.before, in: snapshot, definitions: definitions)
        }, closing: try moments(of: then, at: end.before, in: snapshot, definitions: definitions))
      let (list, salt) = (InsightList.statement(number), definitions.transactionIDs.salt)
      let start = try cursor?.position(list: list, salt: salt)
      for account in try snapshot.accounts(of: number) { try writer.read(account, after: start, limit: limit) }
      let (lines, last) = try writer.lines(limit: limit)
      return Statement(
        customer: customer, from: from, until: end, currencies: try writer.currencies(totalling: lines), lines: lines,
        next: last.map { PageCursor(position: $0, list: list, salt: salt) })
    }
  }
}

/// Puts a statement together from the accounts, one after the other.
private struct StatementWriter {
  let snapshot: any StorageSnapshot
  let definitions: CurrencyDefinitions
  let owners: [CustomerNumber]
  /// The state before the period; nil where nothing is before it.
  let opening: AccountMoments?
  /// The state at its end.
  let closing: AccountMoments
  private var states: [(currency: CurrencyDefinition, opening: Statement.State, closing: Statement.State)] = []
  private var rows: [EntryRow] = []
  private var hasMore = false

  init(
    snapshot: any StorageSnapshot, definitions: CurrencyDefinitions, owners: [CustomerNumber], opening: AccountMoments?,
    closing: AccountMoments
  ) {
    self.snapshot = snapshot
    self.definitions = definitions
    self.owners = owners
    self.opening = opening
    self.closing = closing
  }

  /// Reads the states before and after, and the entries that may come on the page.
  mutating func read(
    _ account: AccountRow, after start: TransactionNumber?, limit: Int
  ) throws(LedgerError) {
    guard let currency = definitions.currency(number: account.number.currency) else { return }
    let closing = closing.moment(account.number)
    // An account without entries by then began later.
    guard closing.recorded.version > 0 else { return }
    let opening = opening?.moment(account.number) ?? AccountMoment(AccountRow(number: account.number))
    states.append((currency, Statement.State(opening), Statement.State(closing)))
    let history = AccountHistory(snapshot: snapshot, account: account)
    var version = opening.recorded.version
    if let start { version = max(version, try history.newest(below: start + 1)?.version ?? 0) }
    // One more than the page, and one for a transaction that has two entries.
    let last = min(closing.recorded.version, version + Int64(limit) + 2)
    rows += try history.entries(after: version, through: last)
    if last < closing.recorded.version { hasMore = true }
  }

  /// The lines of the page, and where it ended where there are more.
  mutating func lines(limit: Int) throws(LedgerError) -> ([Statement.Line], last: TransactionNumber?) {
    rows.sort { ($0.transaction, $0.number) < ($1.transaction, $1.number) }
    var page = rows.prefix(limit)
    while page.count < rows.count, rows[page.count].transaction == page.last?.transaction {
      page = rows.prefix(page.count + 1)
    }
    let found = try snapshot.notedTransactions(Array(Set(page.map(\.transaction))), ofAny: owners)
    var lines: [Statement.Line] = []
    var previous: TransactionNumber = 0
    for row in page {
      guard let transaction = found[row.transaction] else { throw .lacksTransaction(row.transaction) }
      lines.append(try line(row, transaction, isFirst: row.transaction != previous))
      previous = row.transaction
    }
    return (lines, hasMore || page.count < rows.count ? page.last?.transaction : nil)
  }

  private func line(
    _ row: EntryRow, _ transaction: NotedTransaction, isFirst: Bool
  ) throws(LedgerError) -> Statement.Line {
    let items = isFirst ? transaction.parts.items.filter { $0.customer == row.account.customer } : []
    let at = transaction.parts.row.createdAt
    return Statement.Line(
      transactionID: definitions.transactionIDs.id(number: row.transaction, createdAt: at),
      currency: try code(row.account), kind: row.kind, createdAt: at, amount: row.amount, balance: row.balance,
      debt: row.debt, reference: transaction.note?.reference, reason: transaction.note?.reason,
      items: items.map(PostedItem.init))
  }

  private func code(_ account: AccountNumber) throws(LedgerError) -> CurrencyCode {
    guard let currency = definitions.currency(number: account.currency) else { throw .lacksCurrency(account.currency) }
    return currency.code
  }

  func currencies(totalling lines: [Statement.Line]) throws(LedgerError) -> [Statement.Currency] {
    var totals: [CurrencyCode: [EntryKind: Int64]] = [:]
    for line in lines { try totals[line.currency, default: [:]][line.kind, default: 0].add(line.amount) }
    return states.sorted { $0.currency.code < $1.currency.code }.map { state in
      Statement.Currency(
        currency: state.currency.code, opening: state.opening, closing: state.closing,
        totals: totals[state.currency.code] ?? [:])
    }
  }
}

extension Statement.State {
  init(_ moment: AccountMoment) {
    self.init(balance: moment.balance, held: moment.row.held, debt: moment.row.debt, due: moment.due)
  }
}
