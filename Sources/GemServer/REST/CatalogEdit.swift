#if Server
internal import GemLedger
internal import SystemHTTP

// Changes of the catalog by callers of the API.
extension Call {
  /// The caller as the author of a change, with the reason in the query.
  ///
  /// - Throws: `LedgerError` with `invalid_identifier`.
  func changeDetails(baseVersion: Int64? = nil) throws(LedgerError) -> CatalogChangeDetails {
    var details = CatalogChangeDetails(actor: try actor, baseVersion: baseVersion)
    if let text = query["reason"]?.text { details.reason = try Reason(text) }
    return details
  }

  /// Changes the catalog in one commit, with the caller as the author.
  ///
  /// - Parameter edit: May be called several times.
  /// - Throws: `LedgerError` with the closure's errors, then `invalid_catalog`, `limit_exceeded`.
  func editCatalog(_ edit: (inout CatalogDraft) throws(LedgerError) -> Void) throws(LedgerError) {
    try project.ledger.catalogEditor.change(changeDetails()) { (old) throws(LedgerError) in try old.edited(edit) }
  }

  /// Returns the answer to the deletion of a part of the catalog.
  func deleted(_ object: String, _ id: String) -> HTTPResponse {
    RESTSchemas.deletedAnswer(object, id: id, at: project.clock.now())
  }
}

extension Route {
  /// An operation that changes the catalog.
  static func edit(
    _ path: String, method: String = "POST", name: String, summary: String, scope: Scope, body: Schema? = nil,
    answer: Schema, status: Int = 200, _ work: @escaping @Sendable (Call) throws(LedgerError) -> HTTPResponse
  ) -> Route {
    Route(
      method: method, path: path, name: name, summary: summary, access: .secret(scope.writing), body: body,
      answers: [status: answer], rate: .projectConfiguration,
      work: .later { (call) async throws(LedgerError) in try work(call) })
  }
}

extension Schema.Field {
  /// The name that people see; in RevenueCat's API all parts of the catalog have one.
  static func displayName(_ help: String, isRequired: Bool = false, isNullable: Bool = false) -> Self {
    let text = Schema.text(1...1500)
    return Self("display_name", isNullable ? .nullable(text) : text, help, isRequired: isRequired)
  }
}
#endif
