#if Server
internal import GemLedger
internal import SystemHTTP

/// A customer's transactions, and one transaction by its id.
enum HistoryRoutes {
  static var all: [Route] { [list, get] }

  private static let list = Route(
    method: "GET", path: LedgerRoutes.customer + "/virtual_currencies/transactions", name: "list_transactions",
    summary: "Lists a customer's transactions, newest first.", access: .secret(.purchases), query: Page.parameters,
    answers: [200: .page(of: TransactionDocument.schema)], rate: .customerInformation,
    work: .now { (call) throws(LedgerError) in
      let (ledger, customer) = (call.project.ledger, try call.customer())
      let after = try call.query["starting_after"]?.text.map { (text) throws(LedgerError) in
        try cursor(behind: text, of: customer, in: ledger)
      }
      let page = try ledger.history(of: customer, limit: call.limit, after: after)
      let next = page.next.flatMap { _ in page.transactions.last?.booking.transactionID?.description }
      return Page(page.transactions.map { TransactionDocument($0).json }, next: next).response(to: call)
    })

  private static let get = Route(
    method: "GET", path: LedgerRoutes.project + "/virtual_currency_transactions/{transaction_id}",
    name: "get_transaction", summary: "Returns one transaction.", access: .secret(.purchases),
    answers: [200: TransactionDocument.schema], rate: .customerInformation,
    work: .now { (call) throws(LedgerError) in
      let record = try call.project.ledger.transaction(try call.transaction())
      return .json(200, TransactionDocument(record).json)
    })

  /// Returns the position after a transaction in the customer's history.
  private static func cursor(
    behind text: String, of customer: CustomerID, in ledger: Ledger
  ) throws(LedgerError) -> PageCursor {
    try ledger.reading { (snapshot, definitions) throws(LedgerError) -> PageCursor in
      let ids = definitions.transactionIDs
      guard let id = TransactionID(exactly: text), let number = ids.number(of: id) else {
        throw .parameter("starting_after", "names no transaction")
      }
      let row = try CustomerFinder(snapshot).customer(customer)
      return PageCursor(position: number, list: row.number, salt: ids.salt)
    }
  }
}

extension Call {
  /// Returns the transaction in the path.
  ///
  /// - Throws: `LedgerError` with `transaction_not_found` if the text is not a valid id.
  func transaction() throws(LedgerError) -> TransactionID {
    let text = name("transaction_id")
    guard let id = TransactionID(exactly: text) else {
      throw LedgerError(.transactionNotFound, "There is no transaction \"\(text.prefix(60))\" in this ledger.")
    }
    return id
  }

  /// Returns the hold in the path.
  ///
  /// - Throws: `LedgerError` with `hold_not_found` if the text is not a valid id.
  func hold() throws(LedgerError) -> HoldID {
    let text = name("hold_id")
    guard let id = TransactionID(exactly: text) else {
      throw LedgerError(.holdNotFound, "There is no hold \"\(text.prefix(60))\" in this ledger.")
    }
    return HoldID(id)
  }
}

extension TransactionID {
  /// Returns the id of a text; nil if the text is not a valid id.
  init?(exactly text: String) {
    do throws(LedgerError) { try self.init(text) } catch { return nil }
  }
}
#endif
