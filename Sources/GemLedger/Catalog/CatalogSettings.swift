/// The settings of the whole project.
public struct CatalogSettings: Hashable, Sendable {
  /// The project's id.
  public let projectID: String
  /// The app's bundle id, which receipts must name; nil if receipts of any app are taken.
  public let bundleID: String?
  /// The customers with creditable purchases in a store's sandbox.
  public let sandboxReceipts: SandboxReceipts
  /// The proof that an app's login needs.
  public let logins: Logins

  /// Settings with the defaults of a catalog without settings.
  public init(
    projectID: String = "default", bundleID: String? = nil, sandboxReceipts: SandboxReceipts = .anybody,
    logins: Logins = .open
  ) {
    self.projectID = projectID
    self.bundleID = bundleID
    self.sandboxReceipts = sandboxReceipts
    self.logins = logins
  }
}

extension CatalogSettings: CatalogDocument {
  package init?(reading field: CatalogField) {
    guard let fields = field.fields(["project_id", "bundle_id", "sandbox_receipts", "logins"]) else { return nil }
    self.init(
      projectID: fields.optional("project_id", default: "default") { try $0.name() },
      bundleID: fields.optional("bundle_id") { try $0.name() },
      sandboxReceipts: fields.optional("sandbox_receipts", default: .anybody) { try $0.option(SandboxReceipts.self) },
      logins: fields.optional("logins", default: .open) { try $0.option(Logins.self) })
  }

  package func json() -> JSONValue {
    [
      "project_id": .string(projectID), "bundle_id": JSONValue(bundleID),
      "sandbox_receipts": .string(sandboxReceipts.description), "logins": .string(logins.description),
    ]
  }
}
