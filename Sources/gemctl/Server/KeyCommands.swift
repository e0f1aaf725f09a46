import GemLedger

#if Server
import GemServer
#endif

/// `key create`, `key list` and `key revoke`: the keys by which servers and apps name themselves to `serve`.
struct KeyCommands {
  let invocation: Invocation

  static let stores = ["apple", "google", "amazon", "test"]

  #if Server
  /// The scopes of the server, for the help.
  static let scopes =
    "Scopes: \(Scope.all.map(\.description).joined(separator: ", ")). Write access includes read access."
  #else
  static let scopes = "Scopes are for the server, which this gemctl was built without."
  #endif
}

#if Server
extension KeyCommands {
  func create() throws {
    let kind = try kind()
    let made = try invocation.withLedger { (ledger) throws(LedgerError) in try KeyRing(ledger).create(kind) }
    try invocation.print(
      ["id": .string(made.key.id), "key": .string(made.text)],
      { _ in made.text + "\nKeep it: it is shown only once. Its id is \(made.key.id).\n" })
  }

  func list() throws {
    let keys = try invocation.withLedger { (ledger) throws(LedgerError) in try KeyRing(ledger).all() }
    let table = keys.table([
      .left("ID", \.id), .left("KIND") { Self.kind($0) }, .left("MADE", \.createdAt.description),
      .left("REVOKED", \.revokedAt?.description),
    ])
    try invocation.print(["keys": .array(keys.map(Self.json))]) { table.text(style: $0, none: "There are no keys.") }
  }

  func revoke() throws {
    let id = invocation.parsed.positionals[0]
    let key = try invocation.withLedger { (ledger) throws(LedgerError) in try KeyRing(ledger).revoke(id) }
    try invocation.print(Self.json(key), { _ in "Revoked. Within a second servers refuse it.\n" })
  }

  private func kind() throws -> APIKey.Kind {
    let parsed = invocation.parsed
    let (isSecret, isPublic) = (parsed.has("--secret"), parsed.has("--public"))
    guard isSecret != isPublic else { throw invocation.usageError("name --secret or --public") }
    if isPublic {
      guard !parsed.has("--scope") else {
        throw invocation.usageError("--scope is for secret keys")
      }
      guard let store = parsed.value("--store").flatMap(AppStoreKind.init(rawValue:)) else {
        throw invocation.usageError(
          "A public key is for one store: --store \(Self.stores.joined(separator: "|"))")
      }
      return .app(store)
    }
    return .secret(
      scopes: try parsed.values("--scope").map { text in
        guard let scope = Scope(text: text) else {
          throw invocation.usageError(
            "--scope takes a permission, for example customer_information:purchases:read_write; got "
              + text.quotedForPeople)
        }
        return scope
      })
  }

  private static func kind(_ key: APIKey) -> String {
    switch key.kind {
    case .secret(let scopes): scopes.isEmpty ? "secret" : scopes.map(\.description).joined(separator: " ")
    case .app(let store): "public, \(store.rawValue)"
    }
  }

  private static func json(_ key: APIKey) -> JSONValue {
    [
      "id": .string(key.id), "kind": .string(kind(key)), "created_at": .string(key.createdAt.description),
      "revoked_at": JSONValue(key.revokedAt?.description),
    ]
  }
}
#else
extension KeyCommands {
  func create() throws { throw LedgerError.withoutServer }
  func list() throws { throw LedgerError.withoutServer }
  func revoke() throws { throw LedgerError.withoutServer }
}
#endif
