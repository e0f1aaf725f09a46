#if Server
internal import GemLedger
internal import StoreBackend
internal import SystemHTTP

/// A customer in the form of RevenueCat's API.
///
/// Versions, country and platform are null: the ledger stores no data about devices.
struct CustomerDocument {
  private let project: ServerProject
  private let record: CustomerRecord
  private let lastSeenAt: Timestamp

  /// - Throws: `LedgerError` with `customer_not_found`.
  init(_ id: CustomerID, in project: ServerProject) throws(LedgerError) {
    self.project = project
    record = try project.backend.knownCustomer(id)
    let newest = try project.ledger.history(of: id, limit: 1).transactions.first
    lastSeenAt = newest?.booking.createdAt ?? record.firstSeenAt
  }

  /// - Parameter attributes: The attributes to include; nil to omit them.
  func json(_ attributes: CustomerAttributes? = nil) -> JSONValue {
    var document: JSONObject = [
      "object": "customer", "id": .string(record.customer.text), "project_id": .string(project.id),
      "first_seen_at": .integer(record.firstSeenAt.milliseconds), "last_seen_at": .integer(lastSeenAt.milliseconds),
      "last_seen_app_version": nil, "last_seen_country": nil, "last_seen_platform": nil,
      "last_seen_platform_version": nil,
      "active_entitlements": list("active_entitlements", activeEntitlements.map(Self.entitlementForm.json)),
      "experiment": nil,
    ]
    if let attributes { document["attributes"] = list("attributes", attributes.list.map(AttributeRoutes.form.json)) }
    return .object(document)
  }

  var activeEntitlements: [CustomerRecord.Entitlement] { record.entitlements.filter(\.isActive) }

  /// All ids of the customer, the original id first.
  var aliases: [Alias] { record.ids.map { Alias(id: $0, createdAt: record.firstSeenAt) } }

  private func list(_ name: String, _ items: [JSONValue]) -> JSONValue {
    let path = ["v2", "projects", project.id, "customers", record.customer.text, name]
    return [
      "object": "list", "items": .array(items), "next_page": nil,
      "url": .string("/" + path.map(Percent.encoded).joined(separator: "/")),
    ]
  }

  // MARK: Forms

  /// The ledger does not store when an id was added, so it has the customer's time.
  struct Alias: JSONDocument {
    let id: CustomerID
    let createdAt: Timestamp

    static let form = JSONForm<Self>([
      .object("customer.alias"), .always("id", \.id, .anyIdentifier(), "The app user id."),
      .always("created_at", \.createdAt, .instant, "The time when the customer was created."),
    ])
  }

  static let entitlementForm = JSONForm<CustomerRecord.Entitlement>([
    .object("customer.active_entitlement"), .always("entitlement_id", \.id, .text()),
    .always("expires_at", \.expiresAt, .nullable(.instant), "Null for never."),
  ])

  static let schema = RESTSchemas.object(
    "customer",
    [
      Schema.Field("id", .text(), "The app user id as it was asked for.", isRequired: true),
      Schema.Field("project_id", .text(), isRequired: true),
      Schema.Field("first_seen_at", RESTSchemas.milliseconds, isRequired: true),
      Schema.Field(
        "last_seen_at", RESTSchemas.milliseconds, "The last change of a balance, or the customer's creation.",
        isRequired: true),
      absent("last_seen_app_version"), absent("last_seen_country"), absent("last_seen_platform"),
      absent("last_seen_platform_version"),
      Schema.Field("active_entitlements", Schema.page(of: entitlementForm.schema), isRequired: true),
      absent("experiment"),
      Schema.Field("attributes", Schema.page(of: AttributeRoutes.form.schema), "If asked for."),
    ])

  private static func absent(_ name: String) -> Schema.Field {
    Schema.Field(name, .nullable(.text()), "Always null: the ledger does not keep it.", isRequired: true)
  }
}
#endif
