#if Server
internal import GemLedger
internal import SystemHTTP

/// The attributes of customers, in RevenueCat's form.
enum AttributeRoutes {
  static var all: [Route] { [list, set] }

  private static let path = RESTRoutes.customer + "/attributes"

  private static let list = Route(
    method: "GET", path: path, name: "list_customer_attributes",
    summary: "Lists a customer's attributes, in the order of their names.", access: .secret(.customers),
    query: Page.parameters, answers: [200: Schema.page(of: form.schema)], rate: .customerInformation,
    work: .now { (call) throws(LedgerError) in
      try response(call, try call.project.ledger.attributes.all(of: call.customer()))
    })

  private static let set = Route(
    method: "POST", path: path, name: "set_customer_attributes",
    summary: "Sets attributes of a customer, all or none; null removes one.", access: .secret(.customers.writing),
    body: .object([Schema.Field(member, requestSchema(valueIsNullable: true), isRequired: true)]),
    answers: [200: Schema.page(of: form.schema)], rate: .customerInformation,
    work: .later { (call) async throws(LedgerError) in
      let changes = changes(call)
      try check(changes)
      let customer = try call.customer()
      let attributes = try await BlockingWork.run { () throws(LedgerError) in
        try call.project.ledger.attributes.change(changes, of: customer)
      }
      return try response(call, attributes)
    })

  private static func response(_ call: Call, _ attributes: CustomerAttributes) throws(LedgerError) -> HTTPResponse {
    try Page(of: attributes.list, call, cursor: \.name, item: form.json).response(to: call)
  }

  static let form = JSONForm<CustomerAttribute>([
    .object("customer.attribute"), .always("name", \.name, .text()), .always("value", \.value, .text()),
    .always("updated_at", \.updatedAt, .instant),
  ])

  // MARK: Requests

  static let member = "attributes"

  /// Returns the changes in the body.
  static func changes(_ call: Call) -> [CustomerAttribute.Change] {
    let now = call.project.clock.now()
    return (call.body[member]?.array ?? []).map { element in
      CustomerAttribute.Change(element["name"]?.text ?? "", element["value"]?.text, at: now)
    }
  }

  /// - Throws: `LedgerError` with `limit_exceeded`.
  static func check(_ changes: [CustomerAttribute.Change]) throws(LedgerError) {
    do throws(LedgerError) {
      for change in changes { try change.check() }
    } catch {
      throw error.about(member)
    }
  }

  static func requestSchema(valueIsNullable: Bool) -> Schema {
    let value = Schema.text(0...Limits.attributeValueBytes)
    return .list(
      .object([
        Schema.Field(
          "name", RESTSchemas.identifier(Limits.attributeNameBytes), "Such as $email or favorite_level.",
          isRequired: true),
        Schema.Field(
          "value", valueIsNullable ? .nullable(value) : value, "An empty text removes the attribute.",
          isRequired: true),
      ]), 0...(2 * Limits.attributesPerCustomer))
  }
}
#endif
