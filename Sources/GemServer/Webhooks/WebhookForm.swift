#if Server
package import GemLedger

/// The members with which both webhook APIs and the console create and change an endpoint.
package struct WebhookForm: Sendable {
  private let members: JSONObject
  private let authorization: String?

  /// - Throws: `LedgerError` with `invalid_request` for an invalid header value.
  init(_ members: JSONObject) throws(LedgerError) {
    self.members = members
    authorization = try Self.authorization(members["authorization_header"]?.text)
  }

  /// Reads members that nothing has checked.
  ///
  /// - Throws: `LedgerError` with `invalid_request`, also for an address that messages cannot be sent to.
  package init(checking members: JSONObject, isNew: Bool, for webhooks: Webhooks) throws(LedgerError) {
    let fields = Self.fields(urlIsRequired: isNew) + (isNew ? [] : [Self.state])
    try Schema.object(fields).check(.object(members))
    try self.init(members)
    if let url = members["url"]?.text { try webhooks.check(url: url) }
  }

  static let state = Schema.Field(
    "state", .word(WebhookEndpoint.State.allCases.map(\.rawValue)), "Whether messages are sent.")
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
  package func create(in webhooks: Webhooks) throws(LedgerError) -> WebhookEndpoint {
    var filter = WebhookFilter()
    change(&filter)
    return try webhooks.create(
      url: members["url"]?.text ?? "", name: members["name"]?.text, authorization: authorization, filter: filter)
  }

  /// Changes the members that the form contains.
  ///
  /// - Throws: `LedgerError` with, in order of precedence, `invalid_request`, `endpoint_not_found`.
  package func change(_ id: String, in webhooks: Webhooks) throws(LedgerError) -> WebhookEndpoint {
    if let url = members["url"]?.text { try webhooks.check(url: url) }
    let changed = try webhooks.store.change(id) { change(&$0) }
    guard let changed else { throw .noEndpoint(id) }
    return changed
  }

  private func change(_ endpoint: inout WebhookEndpoint) {
    if let url = members["url"]?.text { endpoint.url = url }
    if let name = members["name"] { endpoint.name = name.text }
    if members["authorization_header"] != nil { endpoint.authorization = authorization }
    change(&endpoint.filter)
    if let state = members["state"]?.text.flatMap(WebhookEndpoint.State.init(rawValue:)) {
      (endpoint.state, endpoint.disabledReason) = (state, nil)
    }
  }

  private func change(_ filter: inout WebhookFilter) {
    let asked = WebhookFilter(.object(members))
    if members["environment"] != nil { filter.environment = asked.environment }
    if members["event_types"] != nil { filter.eventTypes = asked.eventTypes }
    if members["app_id"] != nil { filter.appID = asked.appID }
  }

  private static func authorization(_ text: String?) throws(LedgerError) -> String? {
    guard let text else { return nil }
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
  func endpoint() throws(LedgerError) -> WebhookEndpoint { try project.webhooks.endpoint(endpointID) }
}

extension LedgerError {
  static func noEndpoint(_ id: String) -> Self {
    Self(.endpointNotFound, "There is no webhook endpoint \"\(id.prefix(64))\" in this project.")
  }
}
#endif
