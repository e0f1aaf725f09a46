public import GemLedger

/// The changes of a customer's balances in a period.
public struct Statement: Hashable, Sendable {
  /// The customer id of the request.
  public let customer: CustomerID
  /// The start of the period; nil for the start of the journal.
  public let from: Timestamp?
  /// The end of the period, exclusive.
  public let until: Timestamp
  /// Each currency with an account of the customer before the period's end, in the order of codes.
  public let currencies: [Currency]
  /// The lines of the period, oldest first.
  ///
  /// The lines of one transaction are on one page, so a page can be longer than the limit.
  public let lines: [Line]
  /// The start of the next page; nil on the last page.
  public let next: PageCursor?

  /// The statement of one currency.
  ///
  /// Opening balance minus debt plus due amount, plus all lines, equals closing balance minus debt plus due amount.
  public struct Currency: Hashable, Sendable {
    /// The currency.
    public let currency: CurrencyCode
    /// The state just before the period.
    public let opening: State
    /// The state at the end of the period.
    public let closing: State
    /// The sums of this page's lines, by kind; the sums of all pages together are those of the period.
    public let totals: [EntryKind: Int64]
  }

  /// The state of a currency at an instant.
  public struct State: Hashable, Sendable {
    /// The customer's balance without expired amounts.
    public let balance: Int64
    /// The held part of it.
    public let held: Int64
    /// The customer's debt.
    public let debt: Int64
    /// The sum of due effects that were booked later, mostly expiries: positive if they reduced the balance.
    public let due: Int64
  }

  /// A change of a balance.
  public struct Line: Hashable, Sendable {
    /// The transaction that made it.
    public let transactionID: TransactionID
    /// The currency.
    public let currency: CurrencyCode
    /// The kind of the entry.
    public let kind: EntryKind
    /// The booking time.
    public let createdAt: Timestamp
    /// The amount of the change.
    public let amount: Int64
    /// The balance after it, as booked.
    public let balance: Int64
    /// The customer's debt after it.
    public let debt: Int64
    /// The caller's name for the subject of the transaction.
    public let reference: Reference?
    /// The reason given by a person.
    public let reason: Reason?
    /// The items added or removed by the transaction; only on its first line.
    public let items: [PostedItem]
  }
}

extension Ledger {
  /// Returns a customer's statement for a period: opening balances, lines oldest first, closing balances.
  ///
  /// The cost depends on the size of the page, not on the length of the history and the period. Later spends, refunds
  /// and merges do not affect the result for the customer that the id named at the end of the period.
  ///
  /// - Parameters:
  ///   - customer: Must exist.
  ///   - from: The start of the period; nil for the start of the journal.
  ///   - until: The end of the period, exclusive; nil for now.
  ///   - limit: The number of lines, 1 to ``Limits/historyPage``.
  ///   - cursor: The end of the previous page of the same period; nil for the first page.
  /// - Throws: ``LedgerError`` with, in order of precedence, `limit_exceeded`, `invalid_request` for a period that ends
  ///   before it begins, `customer_not_found`, `invalid_request` for a cursor of another list.
  public func statement(
    of customer: CustomerID, from: Timestamp? = nil, until: Timestamp? = nil, limit: Int = 100,
    after cursor: PageCursor? = nil
  ) throws(LedgerError) -> Statement {
    try Limits.check(page: limit)
    return try reading { (snapshot, definitions) throws(LedgerError) -> Statement in
      let now = try clock.now(in: snapshot)
      // Includes transactions booked at this very instant.
      let end = until ?? now.after
      if let from, from > end { throw .invalid("The period ends at \(end), before its start at \(from).") }
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

/// Assembles a statement, account by account.
private struct StatementWriter {
  let snapshot: any StorageSnapshot
  let definitions: CurrencyDefinitions
  let owners: [CustomerNumber]
  /// The state before the period; nil if the period has no start.
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

  /// Reads the states before and after, and the candidate entries of the page.
  mutating func read(
    _ account: AccountRow, after start: TransactionNumber?, limit: Int
  ) throws(LedgerError) {
    guard let currency = definitions.currency(number: account.number.currency) else { return }
    let closing = closing.moment(account.number)
    // An account without entries by then was opened later.
    guard closing.recorded.version > 0 else { return }
    let opening = opening?.moment(account.number) ?? AccountMoment(AccountRow(number: account.number))
    states.append((currency, Statement.State(opening), Statement.State(closing)))
    let history = AccountHistory(snapshot: snapshot, account: account)
    var version = opening.recorded.version
    if let start { version = max(version, try history.newest(below: start + 1)?.version ?? 0) }
    // One entry more than the page, and one for a transaction with two entries.
    let last = min(closing.recorded.version, version + Int64(limit) + 2)
    rows += try history.entries(after: version, through: last)
    if last < closing.recorded.version { hasMore = true }
  }

  /// Returns the lines of the page, and the last transaction if there are more pages.
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
