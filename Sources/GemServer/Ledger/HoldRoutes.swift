#if Server
internal import GemLedger
internal import SystemHTTP

/// Holds: created, listed, captured, released, extended.
enum HoldRoutes {
  static var all: [Route] { [create, list, capture, release, extend] }

  private static let seconds = Schema.integer(1...Limits.holdDuration.components.seconds)

  private static let create = Route(
    method: "POST", path: LedgerRoutes.customer + "/holds", name: "create_hold",
    summary: "Sets currency aside: it stays in the balance and is not available.",
    access: .secret(.purchases.writing), query: [.dryRun], headers: [.idempotencyKey],
    body: .object([
      .amounts("Positive amounts by currency code."),
      Schema.Field(
        "expires_in", .nullable(seconds), "After how many seconds it is released by itself; 900 by default."),
      .reference, .reason,
    ]),
    answers: [201: HoldDocument.Answer.schema, 200: HoldDocument.Answer.schema], rate: .createTransaction,
    work: .later { (call) throws(LedgerError) in
      let booking = try await call.book(
        .hold(
          try call.amounts() ?? [], customer: try call.customer(),
          for: call.seconds("expires_in") ?? LedgerCommand.holdDuration, details: try call.details()))
      let isNew = !call.isDryRun && !booking.isReplayed
      return .json(isNew ? 201 : 200, HoldDocument.Answer(booking: booking, isDryRun: call.isDryRun).json)
    })

  private static let list = Route(
    method: "GET", path: LedgerRoutes.customer + "/holds", name: "list_holds",
    summary: "Lists a customer's open holds, those that end first before the others.", access: .secret(.purchases),
    query: Page.parameters, answers: [200: .page(of: HoldDocument.schema)], rate: .customerInformation,
    work: .now { (call) throws(LedgerError) in
      let customer = try call.customer()
      let holds = try call.project.ledger.holds(of: customer)
      return try Page(of: holds, call, cursor: \.id.description) { HoldDocument($0, of: customer).json }
        .response(to: call)
    })

  private static let capture = action(
    "capture", "Captures a hold in full or part.",
    [
      .amounts("The amounts by currency; the whole hold by default.", isRequired: false),
      Schema.Field("keep_open", .boolean, "Whether the rest stays on hold; otherwise it is released."), .reference,
      .reason,
    ]
  ) { (call) throws(LedgerError) in
    .capture(
      try call.hold(), amounts: try call.amounts(), keepsOpen: call.body["keep_open"]?.bool ?? false,
      details: try call.details())
  }

  private static let release = action(
    "release", "Releases a hold.", [.reference, .reason]
  ) { (call) throws(LedgerError) in .release(try call.hold(), details: try call.details()) }

  private static let extend = action(
    "extend", "Lets a hold last longer, up to 30 days from its beginning.",
    [
      Schema.Field(
        "expires_in", seconds, "The new lifetime in seconds from now; ignored if it is shorter than the rest.",
        isRequired: true), .reference, .reason,
    ]
  ) { (call) throws(LedgerError) in
    .extend(try call.hold(), for: call.seconds("expires_in") ?? .zero, details: try call.details())
  }

  private static func action(
    _ name: String, _ summary: String, _ fields: [Schema.Field],
    _ command: @escaping @Sendable (Call) throws(LedgerError) -> LedgerCommand
  ) -> Route {
    .booking(
      LedgerRoutes.project + "/holds/{hold_id}/actions/\(name)", name: "\(name)_hold", summary, .object(fields),
      command)
  }
}

extension Route {
  /// Returns an operation that books one command and answers with its transaction.
  static func booking(
    _ path: String, name: String, _ summary: String, _ body: Schema,
    _ command: @escaping @Sendable (Call) throws(LedgerError) -> LedgerCommand
  ) -> Route {
    Route(
      method: "POST", path: path, name: name, summary: summary, access: .secret(.purchases.writing), query: [.dryRun],
      headers: [.idempotencyKey], body: body, answers: [200: TransactionDocument.answerForm.schema],
      rate: .createTransaction,
      work: .later { (call) throws(LedgerError) in
        let command = try call.commandOfCaller(try command(call))
        let booking = try await call.book(command)
        let document = try TransactionDocument(booking, of: command, in: call.project.ledger)
        return .json(200, document.answer(isDryRun: call.isDryRun))
      })
  }
}
#endif
