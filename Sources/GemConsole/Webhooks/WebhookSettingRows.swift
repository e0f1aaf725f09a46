#if Server
internal import GemLedger
internal import GemServer

/// The settings of an endpoint: as they are, in a form, and as a form would change them.
enum WebhookSettingRows {
  typealias Row = (name: String, text: String)

  private static func rows(_ values: [String]) -> [Row] {
    zip(["Address", "Name", "Header Authorization", "Environment", "Event types", "Store"], values).map {
      (name: $0, text: $1)
    }
  }

  static func rows(_ endpoint: WebhookEndpoint) -> [Row] {
    let filter = endpoint.filter
    return rows([
      endpoint.url, endpoint.name ?? "none", endpoint.authorization == nil ? "none" : "set",
      filter.environment?.rawValue ?? "all", filter.eventTypes?.joined(separator: ", ") ?? "all", filter.appID ?? "all",
    ])
  }

  static func fields(_ endpoint: WebhookEndpoint?) -> [Field] {
    let (filter, isKnown) = (endpoint?.filter, endpoint?.authorization != nil)
    let environments =
      [(value: "", name: "all")] + WebhookFilter.Environment.allCases.map { ($0.rawValue, $0.rawValue) }
    let fields = [
      Field("url", "Address", value: endpoint?.url ?? "", hint: "Such as https://example.com/hook."),
      Field("name", "Name", value: endpoint?.name ?? "", isRequired: false),
      Field(
        "authorization", "Header Authorization", .secret,
        hint: isKnown ? "A new value; empty to keep the present one." : "A value that every message carries.",
        isRequired: false),
      Field("environment", "Environment", .choice(environments), value: filter?.environment?.rawValue ?? ""),
      Field(
        "event_types", "Event types", value: filter?.eventTypes?.joined(separator: ", ") ?? "",
        hint: "With commas, such as virtual_currency_transaction; empty for all.", isRequired: false),
      Field(
        "app_id", "Store", .choice([(value: "", name: "all")] + Product.storeNames.map { ($0, $0) }),
        value: filter?.appID ?? ""),
    ]
    return isKnown ? fields + [Field("remove_authorization", "Remove the header", .check, isRequired: false)] : fields
  }

  /// The members of the API's body.
  static func members(_ form: FormValues) -> JSONObject {
    let types = form["event_types"].map { $0.split { ", \n".contains($0) }.map { JSONValue.string(String($0)) } }
    var members: JSONObject = [
      "url": .string(form["url"] ?? ""), "name": JSONValue(form["name"]),
      "environment": JSONValue(form["environment"]), "event_types": types.map(JSONValue.array) ?? .null,
      "app_id": JSONValue(form["app_id"]),
    ]
    if let header = form["authorization"] {
      members["authorization_header"] = .string(header)
    } else if form["remove_authorization"] == "yes" {
      members["authorization_header"] = .null
    }
    return members
  }

  /// The settings before and after a form.
  ///
  /// - Parameter endpoint: The endpoint as it is; nil for a new one.
  static func preview(_ members: JSONObject, of endpoint: WebhookEndpoint?) -> HTML {
    let before = endpoint.map(rows)
    let types = members["event_types"]?.array?.compactMap(\.text).joined(separator: ", ")
    let header: String
    switch members["authorization_header"] {
    case .string: header = "a new value"
    case .null?: header = "none"
    default: header = endpoint?.authorization == nil ? "none" : "set"
    }
    let after = rows([
      members["url"]?.text ?? "", members["name"]?.text ?? "none", header, members["environment"]?.text ?? "all",
      types ?? "all", members["app_id"]?.text ?? "all",
    ])
    return DataTable(
      "Settings", ["Setting", "Now", "Afterwards"],
      after.enumerated().map { index, row in
        [.text(row.name), before.map { .foreign($0[index].text, limit: 200) } ?? "–", .foreign(row.text, limit: 200)]
      }
    ).html(none: "")
  }
}
#endif
