#if Server
internal import GemLedger

/// The outcome of a customer's request, found by its idempotency key.
struct RequestView {
  let visit: Visit
  let customer: CustomerID

  /// A form for the key, and the outcome of the key in the query.
  var html: HTML {
    get throws(LedgerError) {
      let text = visit.query["key"]
      let form = visit.search(
        to: visit.path,
        [
          Field("key", "Idempotency key", value: text ?? "", isRequired: false).html(),
          .element(.button, [], ["Find the request"]).with(.type, "submit"),
        ])
      return .section("Requests", form, try text.map { (text) throws(LedgerError) in try outcome(of: text) } ?? .none)
    }
  }

  private func outcome(of text: String) throws(LedgerError) -> HTML {
    let key = try IdempotencyKey(text)
    let outcome = try visit.ledger.view { (view) throws(LedgerError) in
      try view.customers.outcome(under: key, of: view.customers.customer(customer))
    }
    switch outcome {
    case .success(let id):
      return .p("Booked as ", .link(.code(id.description), to: ConsolePath("transactions", id.description)), ".")
    case .failure(let error):
      return .p("Refused, and the key keeps it: ", .foreign(error.message, limit: 300), " ", .code("\(error.code)"))
    case nil:
      return .p("No request of this customer has this key, or its refusal was not kept. A request may be repeated.")
    }
  }
}
#endif
