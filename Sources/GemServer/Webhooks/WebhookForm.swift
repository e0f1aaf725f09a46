#if Server
internal import GemLedger

/// The members with which both webhook APIs create and change an endpoint.
enum WebhookForm {
  private static let url = Schema.text(1...2048, pattern: "^[Hh][Tt][Tt][Pp][Ss]?://[^/?@#\\\\]+([/?][^#\\\\]*)?$")

  static func fields(urlIsRequired: Bool) -> [Schema.Field] {
    [
      Schema.Field("url", url, "The address that messages are posted to.", isRequired: urlIsRequired),
      Schema.Field("name", .nullable(.text(1...255)), "For people."),
      Schema.Field(
        "authorization_header", .nullable(.text(1...1024, pattern: "^[\\x21-\\x7e]([\\x20-\\x7e]*[\\x21-\\x7e])?$")),
        "The value of the header Authorization of every message."),
      Schema.Field(
        "environment", .nullable(.word(WebhookFilter.Environment.allCases.map(\.rawValue))),
        "Sends only purchases of one environment; other events count as production. Null for both."),
      Schema.Field(
        "event_types", .nullable(.list(.text(1...64, pattern: "^[a-z_]+$"), 1...50)),
        "Sends events of these types only, such as virtual_currency_transaction. Null for all."),
      Schema.Field(
        "app_id", .nullable(.word(Product.storeNames)), "Sends purchases at this store only. Null for everything."),
    ]
  }

  /// - Throws: `LedgerError` with, in order of precedence, `invalid_request`, `limit_exceeded`.
  static func create(_ call: Call) throws(LedgerError) -> WebhookEndpoint {
    var filter = WebhookFilter()
    change(&filter, call)
    return try call.project.webhooks.create(
      url: call.text("url") ?? "", name: call.text("name"), authorization: try authorization(of: call), filter: filter)
  }

  /// Changes the members that the body contains.
  ///
  /// - Throws: `LedgerError` with, in order of precedence, `invalid_request`, `endpoint_not_found`.
  static func change(_ call: Call) throws(LedgerError) -> WebhookEndpoint {
    let header = try authorization(of: call)
    if let url = call.text("url") { try call.project.webhooks.check(url: url) }
    let changed = try call.project.webhooks.store.change(call.endpointID) { endpoint in
      if let url = call.text("url") { endpoint.url = url }
      if call.body["name"] != nil { endpoint.name = call.text("name") }
      if call.body["authorization_header"] != nil { endpoint.authorization = header }
      change(&endpoint.filter, call)
      if let state = call.text("state").flatMap(WebhookEndpoint.State.init(rawValue:)) {
        (endpoint.state, endpoint.disabledReason) = (state, nil)
      }
    }
    guard let changed else { throw .noEndpoint(call.endpointID) }
    return changed
  }

  private static func change(_ filter: inout WebhookFilter, _ call: Call) {
    let asked = WebhookFilter(.object(call.body))
    if call.body["environment"] != nil { filter.environment = asked.environment }
    if call.body["event_types"] != nil { filter.eventTypes = asked.eventTypes }
    if call.body["app_id"] != nil { filter.appID = asked.appID }
  }

  /// - Throws: `LedgerError` with `invalid_request` for a text that is not a valid header value.
  private static func authorization(of call: Call) throws(LedgerError) -> String? {
    guard let text = call.text("authorization_header") else { return nil }
    guard text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }), !text.hasPrefix(" "), !text.hasSuffix(" ") else {
      throw .parameter("authorization_header", "has to be printable ASCII without spaces at its ends")
    }
    return text
  }
}

extension Call {
  var endpointID: String { names["webhook_endpoint_id"] ?? name("webhook_integration_id") }

  /// Returns the endpoint in the path.
  ///
  /// - Throws: `LedgerError` with `endpoint_not_found`.
  func endpoint() throws(LedgerError) -> WebhookEndpoint {
    guard let endpoint = try project.webhooks.store.endpoint(endpointID) else { throw .noEndpoint(endpointID) }
    return endpoint
  }
}

extension LedgerError {
  static func noEndpoint(_ id: String) -> Self {
    Self(.endpointNotFound, "There is no webhook endpoint \"\(id.prefix(64))\" in this project.")
  }
}
#endif
