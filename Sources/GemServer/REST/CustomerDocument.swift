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
      "active_entitlements": list("active_entitlements", activeEntitlements.map(Self.json)), "experiment": nil,
    ]
    if let attributes { document["attributes"] = list("attributes", attributes.list.map(AttributeRoutes.json)) }
    return .object(document)
  }

  var activeEntitlements: [CustomerRecord.Entitlement] { record.entitlements.filter(\.isActive) }

  /// All ids of the customer, the original id first.
  var aliases: [CustomerID] { record.ids }

  static func json(_ entitlement: CustomerRecord.Entitlement) -> JSONValue {
    [
      "object": "customer.active_entitlement", "entitlement_id": .string(entitlement.id),
      "expires_at": JSONValue(entitlement.expiresAt?.milliseconds),
    ]
  }

  /// Returns an element of ``aliases``; the ledger does not store when an id was added, so it has the customer's time.
  func json(_ alias: CustomerID) -> JSONValue {
    ["object": "customer.alias", "id": .string(alias.text), "created_at": .integer(record.firstSeenAt.milliseconds)]
  }

  private func list(_ name: String, _ items: [JSONValue]) -> JSONValue {
    let path = ["v2", "projects", project.id, "customers", record.customer.text, name]
    return [
      "object": "list", "items": .array(items), "next_page": nil,
      "url": .string("/" + path.map(Percent.encoded).joined(separator: "/")),
    ]
  }

  // MARK: Forms

  static let aliasSchema = RESTSchemas.object(
    "customer.alias",
    [
      Schema.Field("id", .text(), "The app user id.", isRequired: true),
      Schema.Field("created_at", RESTSchemas.milliseconds, "The time when the customer was created.", isRequired: true),
    ])

  static let entitlementSchema = RESTSchemas.object(
    "customer.active_entitlement",
    [
      Schema.Field("entitlement_id", .text(), isRequired: true),
      Schema.Field("expires_at", .nullable(RESTSchemas.milliseconds), "Null for never.", isRequired: true),
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
      Schema.Field("active_entitlements", Schema.page(of: entitlementSchema), isRequired: true),
      absent("experiment"),
      Schema.Field("attributes", Schema.page(of: AttributeRoutes.schema), "If asked for."),
    ])

  private static func absent(_ name: String) -> Schema.Field {
    Schema.Field(name, .nullable(.text()), "Always null: the ledger does not keep it.", isRequired: true)
  }
}
#endif
