#if Server
internal import GemLedger
internal import GemServer

/// Changes of the catalog: each is one new version, based on the version that its form showed.
enum CatalogActions {
  static let all =
    [document, current] + CatalogKind.all.flatMap { [edit($0), add($0)] + ($0.isRemovable ? [remove($0)] : []) }

  private static func add(_ kind: CatalogKind) -> Action {
    action("Add \(kind.noun)", "catalog/\(kind.list)/new", kind.scopes) { (visit) throws(LedgerError) in
      kind.fields(nil)
    } edit: { (old, visit) throws(LedgerError) in
      try kind.edited(old, nil, by: visit.form)
    }
  }

  private static func edit(_ kind: CatalogKind) -> Action {
    action("Change \(kind.noun)", "catalog/\(kind.list)/{\(kind.noun)}/edit", kind.scopes) {
      (visit) throws(LedgerError) in
      guard let object = kind.find(visit.name(kind.noun), in: try document(of: visit)) else {
        throw LedgerError(
          .notAvailable, "There is no \(kind.noun) \"\(visit.name(kind.noun).prefix(100))\" in the catalog.")
      }
      return kind.fields(object)
    } edit: { (old, visit) throws(LedgerError) in
      try kind.edited(old, visit.name(kind.noun), by: visit.form)
    }
  }

  private static func remove(_ kind: CatalogKind) -> Action {
    action("Remove \(kind.noun)", "catalog/\(kind.list)/{\(kind.noun)}/remove", kind.scopes) {
      (old, visit) throws(LedgerError) in
      kind.removed(old, visit.name(kind.noun))
    }
  }

  /// The offering that apps show without a choice of their own.
  private static let current = action("Choose the current offering", "catalog/current", [.offerings]) {
    (visit) throws(LedgerError) in
    let document = try document(of: visit)
    let ids = (document["offerings"]?.array ?? []).compactMap { $0["id"]?.text }
    return [
      Field(
        "offering", "Current offering", .choice([("", "none")] + ids.map { (value: $0, name: $0) }),
        value: document["current_offering"]?.text ?? "", isRequired: false)
    ]
  } edit: { (old, visit) throws(LedgerError) in
    var edited = old
    edited["current_offering"] = JSONValue(visit.form["offering"])
    return edited
  }

  /// The document has more than the other forms, such as the receipts that are credited.
  private static let document = action("Change the whole catalog", "catalog/document", [.catalog]) {
    (visit) throws(LedgerError) in
    [Field("document", "The catalog as JSON", .lines, value: try visit.ledger.currentCatalog().text())]
  } edit: { (_, visit) throws(LedgerError) in
    let value: JSONValue
    do throws(JSONError) { value = try JSONValue.parse(visit.form["document"] ?? "") } catch {
      throw LedgerError(.invalidCatalog, "This is no JSON: \(error.message)")
    }
    guard let object = value.object else { throw LedgerError(.invalidCatalog, "The catalog has to be a JSON object.") }
    return object
  }

  // MARK: One way for all changes

  private static func document(of visit: Visit) throws(LedgerError) -> JSONObject {
    try visit.ledger.currentCatalog().json().object ?? JSONObject()
  }

  private static func action(
    _ title: String, _ path: String, _ scopes: [Scope],
    fields: @escaping @Sendable (Visit) throws(LedgerError) -> [Field] = { _ in [] },
    edit: @escaping @Sendable (JSONObject, Visit) throws(LedgerError) -> JSONObject
  ) -> Action {
    Action(
      title, path, scopes: scopes.map(\.writing),
      fields: { (visit) throws(LedgerError) in
        let version = try visit.ledger.catalogEditor.current().version
        return [Field("base", "", .hidden, value: "\(version)", isRequired: false)] + (try fields(visit))
      },
      change: { (visit) throws(LedgerError) in
        guard let base = Int64(visit.form["base"] ?? "") else {
          throw .invalid("The form lacks the catalog's version.")
        }
        let details = CatalogChangeDetails(
          actor: try visit.session.actor, reason: try visit.reason, baseVersion: base)
        let make: @Sendable (Catalog) throws(LedgerError) -> Catalog = { (old) throws(LedgerError) in
          let edited = try edit(old.json().object ?? JSONObject(), visit)
          do throws(CatalogProblems) { return try Catalog.load(Array(JSONValue.object(edited).text().utf8)) } catch {
            throw error.ledgerError
          }
        }
        let preview = try visit.ledger.catalogEditor.preview(details, make)
        let view = CatalogChangeView(preview.difference, preview.impact).html
        return Action.Change(preview: view) { () async throws(LedgerError) in
          let applied = try await BlockingWork.run { () throws(LedgerError) in
            try visit.ledger.catalogEditor.change(details, make)
          }
          return .seeOther(ConsolePath("catalog", query: ["note": "version-\(applied.version)"]))
        }
      })
  }
}
#endif
