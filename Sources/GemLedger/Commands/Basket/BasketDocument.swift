/// A basket as a JSON document:
/// `{"payer": "alice", "legs": [{"transfer": {"GEM": 20}, "from": "alice", "to": "bob"}]}`.
///
/// A leg has exactly one of `transfer`, `item`, `spend` and `grant`, and the fields that belong to it.
package struct BasketDocument: Sendable {
  /// The owner of the key.
  package let payer: CustomerID
  package let legs: [BasketLeg]

  /// Reads the document.
  ///
  /// - Throws: `invalid_request` with every problem of the document.
  package init(_ bytes: [UInt8]) throws(LedgerError) {
    let check = CatalogCheck()
    do throws(JSONError) {
      let field = CatalogField(try JSONValue.parse(bytes), check)
      let fields = field.fields(["payer", "legs"])
      let payer = fields?.required("payer") { try $0.identifier(CustomerID.self) }
      let legs = fields?.required("legs") { $0.list(max: Limits.legsPerBasket, BasketLeg.init(reading:)) }
      if let payer, let legs, check.problems.isEmpty {
        (self.payer, self.legs) = (payer, legs)
        return
      }
    } catch {
      check.add(.root, "\(error)")
    }
    throw Self.refused(check.problems)
  }

  private static func refused(_ problems: [CatalogProblem]) -> LedgerError {
    let count = problems.count == 1 ? "a problem" : "\(problems.count) problems"
    let details = problems.enumerated().map { LedgerError.Detail.text("problems[\($0)]", $1.description) }
    let lines = ["The basket has \(count):"] + problems.map(\.description)
    return LedgerError(.invalidRequest, lines.joined(separator: "\n"), details: details)
  }
}

extension BasketLeg {
  private static let kinds = ["transfer", "item", "spend", "grant"]

  fileprivate init?(reading field: CatalogField) {
    guard let names = field.members({ name, _ in name }) else { return nil }
    let found = names.filter(Self.kinds.contains)
    guard let kind = found.first, found.count == 1 else {
      let all = Self.kinds.map { "\"\($0)\"" }.joined(separator: ", ")
      field.context.add(field.path, "A leg has exactly one of \(all); this has \(found.count).")
      return nil
    }
    switch kind {
    case "transfer": self.init(transfer: field)
    case "item": self.init(item: field)
    case "spend": self.init(spend: field)
    default: self.init(grant: field)
    }
  }

  private init?(transfer field: CatalogField) {
    guard let fields = field.fields(["transfer", "from", "to"]) else { return nil }
    let amounts = fields.required("transfer", Self.amounts)
    let (from, to) = Self.ends(fields)
    guard let amounts, let from, let to else { return nil }
    self = .transfer(amounts, from: from, to: to)
  }

  private init?(item field: CatalogField) {
    guard let fields = field.fields(["item", "quantity", "from", "to"]) else { return nil }
    let item = fields.required("item") { try $0.identifier(ItemID.self) }
    let quantity = fields.optional("quantity", default: 1) { try $0.integer(in: 1...Limits.quantity) }
    let (from, to) = Self.ends(fields)
    guard let item, let from, let to else { return nil }
    self = .item(item, quantity: quantity, from: from, to: to)
  }

  private init?(spend field: CatalogField) {
    guard let fields = field.fields(["spend", "customer"]) else { return nil }
    let amounts = fields.required("spend", Self.amounts)
    let customer = fields.required("customer", Self.customer)
    guard let amounts, let customer else { return nil }
    self = .spend(amounts, customer: customer)
  }

  private init?(grant field: CatalogField) {
    guard let fields = field.fields(["grant", "customer", "source"]) else { return nil }
    let amounts = fields.required("grant", Self.amounts)
    let customer = fields.required("customer", Self.customer)
    let source = fields.optional("source", default: .earned, Self.source)
    guard let amounts, let customer else { return nil }
    self = .grant(amounts, customer: customer, source: source)
  }

  private static func ends(_ fields: CatalogField) -> (from: CustomerID?, to: CustomerID?) {
    (fields.required("from", customer), fields.required("to", customer))
  }

  private static func customer(_ field: CatalogField) throws(LedgerError) -> CustomerID { try field.identifier() }

  private static func amounts(_ field: CatalogField) -> [Adjustment]? {
    field.members { code, amount in
      let code = try CatalogField(.string(code), at: amount.path, amount.context).currency()
      return Adjustment(code, try amount.integer(in: 1...Limits.amount))
    }
  }

  private static func source(_ field: CatalogField) throws(LedgerError) -> LotSource {
    let text = try field.text()
    let allowed = LotSource.allCases.filter { $0 != .paid }
    if let source = allowed.first(where: { $0.name == text }) { return source }
    throw field.refused(text, isNoneOf: allowed.map(\.name))
  }
}
