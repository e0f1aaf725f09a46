#if Server
internal import GemLedger
internal import SystemHTTP

/// Customers' balances, and the transactions that change them.
enum BalanceRoutes {
  static var all: [Route] {
    [
      list,
      book(
        "transactions", name: "create_virtual_currencies_transaction",
        summary: "Spends and grants currency in one transaction, and answers with the balances of its currencies."),
      book(
        "update_balance", name: "update_virtual_currencies_balance",
        summary: "Adds to balances, or takes from them, as a transaction does; the amounts are no new balances."),
    ]
  }

  private static let path = RESTRoutes.customer + "/virtual_currencies"

  private static let includesEmpty = "include_empty_balances"

  private static let list = Route(
    method: "GET", path: path, name: "list_virtual_currencies_balances",
    summary: "Lists a customer's balances in the order of codes.", access: .secret(.purchases),
    query: Page.parameters + [
      Parameter(includesEmpty, .boolean, "Whether currencies are listed of which nothing is available.")
    ],
    answers: [200: BalanceList.schema], rate: .customerInformation,
    work: .now { (call) throws(LedgerError) in try balances(call) })

  private static func balances(_ call: Call) throws(LedgerError) -> HTTPResponse {
    let showsEmpty = call.query[includesEmpty]?.bool ?? false
    // A balance may be spent between two pages, so its code may be missing in the list.
    let start = try start(call)
    var items: [BalanceList.Item] = []
    for balance in try call.project.ledger.balances(of: call.customer()) where balance.isActive {
      if let start, balance.currency <= start { continue }
      guard showsEmpty || balance.available != 0 else { continue }
      items.append(BalanceList.Item(balance, available: balance.available))
    }
    var list = BalanceList(items.prefix(call.limit).map(\.self), at: call.request.path)
    if items.count > list.items.count, let last = list.items.last {
      list.nextPage = Page([], next: last.currency.description).link(to: call)
    }
    return list.response
  }

  private static func start(_ call: Call) throws(LedgerError) -> CurrencyCode? {
    guard let text = call.query["starting_after"]?.text else { return nil }
    guard let code = CurrencyCode(exactly: text) else { throw .parameter("starting_after", "is no currency code") }
    return code
  }

  private static func book(_ ending: String, name: String, summary: String) -> Route {
    Route(
      method: "POST", path: "\(path)/\(ending)", name: name, summary: summary, access: .secret(.purchases.writing),
      query: [
        Parameter(includesEmpty, .boolean, "Changes nothing: the transaction's currencies are listed all the same."),
        .dryRun,
      ],
      headers: [TransactionRequest.key], body: TransactionRequest.body, answers: [200: BalanceList.schema],
      rate: .createTransaction,
      work: .later { (call) async throws(LedgerError) in
        let (booking, items) = try await TransactionRequest(call).book()
        var response = BalanceList(items, at: call.request.path.dropLast()).response
        if booking.isReplayed { response.headers.append(("Idempotent-Replayed", "true")) }
        return response
      })
  }
}
#endif
