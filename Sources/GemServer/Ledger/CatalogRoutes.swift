#if Server
package import GemLedger
internal import SystemHTTP

/// The whole catalog as one document, and its versions.
///
/// The document has more than products, offerings and currencies: items, and settings such as the receipts that are
/// credited. So it has a separate scope, which no other scope includes.
enum CatalogRoutes {
  static var all: [Route] { [get, put, versions] }

  private static let path = LedgerRoutes.project + "/catalog"
  private static let document = Schema.map(.anything)

  private static let get = Route(
    method: "GET", path: path, name: "get_catalog",
    summary: "The catalog in the form of its file; the header ETag has its version.", access: .secret(.catalog),
    answers: [200: document], rate: .projectConfiguration,
    work: .now { (call) throws(LedgerError) in
      let catalog = try call.project.catalogs.current()
      return .json(200, catalog.catalog.json()).tagged(catalog.version)
    })

  private static let put = Route(
    method: "PUT", path: path, name: "replace_catalog",
    summary: "Replaces the catalog if it still has the version of the header If-Match.",
    access: .secret(.catalog.writing),
    query: [
      Parameter("dry_run", .boolean, "Whether to change nothing: the answer has the changes and what they concern."),
      Parameter("reason", .identifier(Limits.reasonBytes), "The reason, for the list of versions."),
    ],
    headers: [
      Parameter(
        "If-Match", .text(1...100),
        "The ETag of the catalog that the change is based on, or * for any; may be missing in a dry run.")
    ],
    body: document, answers: [200: CatalogChangeDocument.schema], rate: .projectConfiguration,
    work: .later { (call) async throws(LedgerError) in
      let details = try call.changeDetails(baseVersion: try baseVersion(call))
      return try await BlockingWork.run { () throws(LedgerError) in try replace(call, details) }
    })

  private static let versions = Route(
    method: "GET", path: path + "/versions", name: "list_catalog_versions",
    summary: "Lists the versions of the catalog, newest first, with authors, reasons and changes.",
    access: .secret(.catalog), query: Page.parameters,
    answers: [200: Schema.page(of: CatalogVersion.schema)], rate: .projectConfiguration,
    work: .now { (call) throws(LedgerError) in
      var end: Int64?
      if let cursor = call.query["starting_after"]?.text {
        guard let version = Int64(cursor), version > 0 else {
          throw .parameter("starting_after", "has to be a version")
        }
        end = version
      }
      let versions = try call.project.ledger.catalogEditor.versions(below: end, limit: call.limit)
      let next = versions.last.flatMap { $0.version > 1 ? "\($0.version)" : nil }
      return Page(versions.map(\.json), next: next).response(to: call)
    })

  private static func replace(_ call: Call, _ details: CatalogChangeDetails) throws(LedgerError) -> HTTPResponse {
    let catalog: Catalog
    do throws(CatalogProblems) { catalog = try Catalog(json: .object(call.body)) } catch { throw error.ledgerError }
    let editor = call.project.ledger.catalogEditor
    let change: CatalogChangeDocument
    if call.isDryRun {
      let preview = try editor.preview(details) { (_) in catalog }
      change = CatalogChangeDocument(version: preview.version, changes: preview.difference, impact: preview.impact)
    } else {
      let applied = try editor.change(details) { (_) in catalog }
      change = CatalogChangeDocument(version: applied.version, changes: applied.difference, impact: nil)
    }
    return .json(200, change.json).tagged(change.version)
  }

  /// Returns the version in `If-Match`; nil for any.
  ///
  /// - Throws: `LedgerError` with `invalid_request`.
  private static func baseVersion(_ call: Call) throws(LedgerError) -> Int64? {
    let name = "If-Match"
    guard let text = call.request.headers[name] else {
      if call.isDryRun { return nil }
      throw .parameter(name, "is missing: send the ETag of the catalog that you changed, or * to replace any")
    }
    guard text != "*" else { return nil }
    // A proxy that compresses marks tags as weak.
    let tag = text.hasPrefix("W/") ? String(text.dropFirst(2)) : text
    guard let version = Int64(Call.key(in: tag)) else {
      throw .parameter(name, "has to be the ETag of the catalog, such as \"12\", or *")
    }
    return version
  }
}

extension HTTPResponse {
  fileprivate func tagged(_ version: Int64) -> HTTPResponse {
    var response = self
    response.headers.append(("ETag", "\"\(version)\""))
    return response
  }
}

/// The result of a change of the catalog, or its preview.
private struct CatalogChangeDocument: JSONDocument {
  let version: Int64
  let changes: CatalogDifference
  /// Nil if the change was made.
  let impact: CatalogImpact?

  static let form = JSONForm<Self>([
    .object("catalog_change"), .always("version", \.version, .integer(), "The catalog's version now."),
    .always("changes", \.changes, .value),
    .sometimes("impact", \.impact, .value, "What the changes concern; only in a dry run."),
  ])
}

extension CatalogVersion: JSONDocument {
  package static let form = JSONForm<Self>([
    .object("catalog_version"), .always("version", \.version, .integer(), "From 1."),
    .always("applied_at", \.appliedAt, .instant),
    .always("actor", \.actor, .nullable(.anyIdentifier()), "The author, such as `key:` and the id of a key."),
    .always("reason", \.reason, .nullable(.anyIdentifier())),
    .always("change_count", \.changeCount, .nullable(.integer()), "The number of changed objects."),
    .always(
      "changes", \.changes, .nullable(.value),
      "The first 100 changed objects; null for a version without a record."),
  ])
}
#endif
