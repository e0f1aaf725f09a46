#if Server
internal import GemLedger

/// Changes of the catalog's offerings.
struct OfferingEdit {
  private let call: Call

  init(_ call: Call) { self.call = call }

  /// - Throws: `LedgerError` with, in order of precedence, `invalid_identifier`, `already_exists`, `invalid_catalog`.
  func create() throws(LedgerError) -> String {
    let id = try OfferingID(call.text("lookup_key") ?? "")
    try call.editCatalog { (draft) throws(LedgerError) in
      guard !draft.offerings.contains(where: { $0.id == id }) else {
        throw LedgerError(
          .alreadyExists, "There is an offering \"\(id)\" already.", details: [.text("param", "lookup_key")])
      }
      draft.offerings.append(
        CatalogOffering(
          id: id, description: call.text("display_name") ?? "",
          metadata: call.body["metadata"]?.object ?? JSONObject(), packages: []))
    }
    return id.text
  }

  /// Changes the members that the body has; null removes the metadata.
  ///
  /// - Throws: `LedgerError` with `offering_not_found`, `invalid_catalog`.
  func update() throws(LedgerError) -> String {
    let id = call.name("offering_id")
    try call.editCatalog { (draft) throws(LedgerError) in
      let index = try Self.index(of: id, in: draft.offerings)
      if let name = call.text("display_name") { draft.offerings[index].description = name }
      if let metadata = call.body["metadata"] { draft.offerings[index].metadata = metadata.object ?? JSONObject() }
      guard let isCurrent = call.body["is_current"]?.bool else { return }
      let offering = draft.offerings[index].id
      if isCurrent { draft.currentOffering = offering }
      if !isCurrent, draft.currentOffering == offering { draft.currentOffering = nil }
    }
    return id
  }

  /// Deletes the offering with its packages.
  ///
  /// - Throws: `LedgerError` with `offering_not_found`, `not_available` for the current offering.
  func delete() throws(LedgerError) -> String {
    let id = call.name("offering_id")
    try call.editCatalog { (draft) throws(LedgerError) in
      let index = try Self.index(of: id, in: draft.offerings)
      guard draft.currentOffering != draft.offerings[index].id else {
        throw LedgerError(
          .notAvailable, "Apps show this offering: it is the current one. Make another offering current first.",
          details: [.text("param", "offering_id")])
      }
      draft.offerings.remove(at: index)
    }
    return id
  }

  /// - Throws: `LedgerError` with `offering_not_found`.
  static func index(of id: String, in offerings: [CatalogOffering]) throws(LedgerError) -> Int {
    guard let index = offerings.firstIndex(where: { $0.id.text.hasBytes(of: id) }) else {
      throw LedgerError(
        .offeringNotFound, "There is no offering \"\(id.prefix(100))\" in the catalog.",
        details: [.text("param", "offering_id")])
    }
    return index
  }
}
#endif
