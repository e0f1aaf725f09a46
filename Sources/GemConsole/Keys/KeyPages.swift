#if Server
internal import GemLedger
internal import GemServer

/// The keys by which servers, apps and people name themselves.
enum KeyPages {
  static let routes: [ConsoleRoute] = [
    .get("keys", .keys) { (visit) throws(LedgerError) in .page(try list(visit)) }
  ]

  private static func list(_ visit: Visit) throws(LedgerError) -> ConsolePage {
    let mayChange = visit.session.allows(.keys.writing)
    let rows = try KeyRing(visit.ledger).all().map { key -> [HTML] in
      let isOwn = key.id == visit.session.keyID
      let isRevocable = mayChange && key.revokedAt == nil
      return [
        .group([.code(key.id), isOwn ? .group([" ", .badge("this session")]) : .none]), kind(key.kind),
        visit.reader.time(key.createdAt), key.revokedAt.map(visit.reader.time) ?? "–",
        isRevocable ? .button("Revoke", to: ConsolePath("keys", key.id, "revoke")) : .none,
      ]
    }
    let table = DataTable("Keys, oldest first", ["Id", "Kind and scopes", "Created", "Revoked", "Do"], rows)
    let create = HTML.div(.button("Create a key", to: ConsolePath("keys", "create"))).classed("actions")
    return ConsolePage("Keys", mayChange ? create : .none, table.html(none: "There are no keys."))
  }

  static func kind(_ kind: APIKey.Kind) -> HTML {
    switch kind {
    case .secret(let scopes):
      scopes.isEmpty ? "secret, may do everything" : .list(scopes.map { .code($0.description) })
    case .app(let store): .text("public, for apps of the store \(store.rawValue)")
    }
  }
}

/// The creation and the revocation of keys.
enum KeyActions {
  static let all = [create, revoke]

  private static let create = Action(
    "Create a key", "keys/create", .keys.writing,
    fields: { (visit) throws(LedgerError) in
      let stores = AppStoreKind.allCases.map {
        (value: $0.rawValue, name: "public, for apps of the store \($0.rawValue)")
      }
      let scopes = Scope.all.filter(visit.session.allows).map { scope in
        Field(field(of: scope), scope.description, .check, isRequired: false)
      }
      let all = "Of a secret key. Without any scope it may do everything"
      return [
        Field(
          "kind", "Kind", .choice([(value: "secret", name: "secret, for a server or a person")] + stores),
          hint: visit.session.scopes.isEmpty ? "\(all)." : "\(all), which this session cannot give.")
      ] + scopes
    },
    change: { (visit) throws(LedgerError) in
      let (kind, own) = (try kind(visit), visit.session.scopes)
      try KeyRing.check(kind, grantedBy: own)
      let ring = KeyRing(visit.ledger, clock: visit.project.clock)
      return Action.Change(preview: .facts([("New key", KeyPages.kind(kind))])) { () async throws(LedgerError) in
        let made = try await BlockingWork.run { () throws(LedgerError) in try ring.create(kind, grantedBy: own) }
        visit.recordChange("A key was created.", ["created_key": .string(made.key.id)])
        return .page(
          ConsolePage(
            "New key",
            .message("warning", .p("This page shows the key once. Store it now: the server keeps a digest.")),
            .facts([("Key", .code(made.text)), ("Id", .code(made.key.id)), ("Kind", KeyPages.kind(kind))]),
            .p(.link("All keys", to: ConsolePath("keys")))))
      }
    })

  private static func field(of scope: Scope) -> String { "scope-\(scope)" }

  private static func kind(_ visit: Visit) throws(LedgerError) -> APIKey.Kind {
    let scopes = Scope.all.filter { visit.form[field(of: $0)] == "yes" }
    if visit.form["kind"] == "secret" { return .secret(scopes: scopes) }
    guard let store = AppStoreKind(rawValue: visit.form["kind"] ?? "") else { throw .invalid("Choose a kind of key.") }
    guard scopes.isEmpty else { throw .invalid("Scopes are for secret keys. Choose a secret key, or no scope.") }
    return .app(store)
  }

  private static let revoke = Action("Revoke", "keys/{key}/revoke", .keys.writing, isFinal: true) {
    (visit) throws(LedgerError) in
    let ring = KeyRing(visit.ledger, clock: visit.project.clock)
    guard let key = try ring.storedKey(id: visit.name("key")) else {
      throw .invalid("There is no key \"\(visit.name("key").prefix(100))\".")
    }
    let isOwn = key.id == visit.session.keyID
    let preview = HTML.group([
      isOwn ? .message("warning", .p("This is the key of your session. The session ends with it.")) : .none,
      .facts([("Id", .code(key.id)), ("Kind", KeyPages.kind(key.kind)), ("Created", visit.reader.time(key.createdAt))]),
      .p("Servers refuse the key within a second."),
    ])
    return Action.Change(preview: preview) { () async throws(LedgerError) in
      _ = try await BlockingWork.run { () throws(LedgerError) in try ring.revoke(key.id) }
      visit.recordChange("A key was revoked.", ["revoked_key": .string(key.id)])
      return .seeOther(isOwn ? ConsolePath("sign-in") : ConsolePath("keys"))
    }
  }
}
#endif
