#if Server
internal import GemLedger
internal import GemLedgerAudit
internal import SystemHTTP

/// The verification of the books, and the booking of due effects.
enum BookRoutes {
  static var all: [Route] { [verify, sweep] }

  private static let verify = Route(
    method: "GET", path: LedgerRoutes.project + "/verify", name: "verify",
    summary: "Proves the books from the journal; one proof of a project runs at a time.", access: .secret(.books),
    answers: [200: schema],
    work: .later { (call) async throws(LedgerError) in
      .json(200, json(try await call.project.verifying.run(by: "key:\(call.caller.keyID)")))
    })

  private static let sweep = Route(
    method: "POST", path: LedgerRoutes.project + "/actions/sweep", name: "sweep",
    summary: "Books due effects: expiries, ended holds, allowances and recharges.",
    access: .secret(.books.writing),
    answers: [
      200: .object([
        .always("object", .word(["sweep"])), .always("customers", .integer(), "The customers with due effects."),
      ])
    ],
    work: .later { (call) throws(LedgerError) in
      let ledger = call.project.ledger
      let count = try await call.project.sweeping.run("A sweep") { () throws(LedgerError) in try ledger.sweep() }
      return .json(200, ["object": "sweep", "customers": .integer(Int64(count))])
    })

  static func json(_ verification: Verification) -> JSONValue {
    [
      "object": "verification", "ok": .bool(verification.isOK), "as_of": .integer(verification.asOf.milliseconds),
      "transactions": .integer(verification.transactions), "customers": .integer(verification.customers),
      "currencies": .object(JSONObject(verification.currencies.map { ($0.currency.description, json($0)) })),
      "problems": .array(
        verification.problems.map {
          [
            "equation": .string($0.equation), "currency": JSONValue($0.currency?.description),
            "message": .string($0.message),
          ]
        }), "problem_count": .integer(Int64(verification.problemCount)),
    ]
  }

  private static func json(_ books: Verification.Books) -> JSONValue {
    let kinds = books.kinds.sorted { $0.key.rawValue < $1.key.rawValue }
    return [
      "kinds": .object(JSONObject(kinds.map { ($0.key.name, .integer($0.value)) })),
      "outstanding": .integer(books.outstanding), "held": .integer(books.held), "debt": .integer(books.debt),
    ]
  }

  private static let schema = Schema.object([
    .always("object", .word(["verification"])), .always("ok", .boolean, "Whether all of it adds up."),
    .always("as_of", .integer()), .always("transactions", .integer()), .always("customers", .integer()),
    .always(
      "currencies",
      .map(
        .object([
          .always("kinds", .map(.integer()), "The sum of entries of each kind."),
          .always("outstanding", .integer(), "The sum of balances, including held amounts, without debts."),
          .always("held", .integer()), .always("debt", .integer()),
        ]))),
    .always(
      "problems",
      .list(
        .object([
          .always("equation", .text()), .always("currency", .nullable(.text())), .always("message", .text()),
        ])), "The first 100 problems."),
    .always("problem_count", .integer()),
  ])
}
#endif
