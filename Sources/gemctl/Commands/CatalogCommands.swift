import GemLedger
import LedgerCharts
import StoreBackend

/// `catalog show`, `catalog check` and `catalog apply`.
struct CatalogCommands {
  let invocation: Invocation

  func show() throws {
    let catalog = try invocation.withLedger { (ledger) throws(LedgerError) in try ledger.currentCatalog() }
    guard !invocation.isJSON else { return try invocation.terminal.output(catalog.text()) }
    try invocation.terminal.output(CatalogView(catalog: catalog).text(style: invocation.terminal.outputStyle))
  }

  func check() throws {
    let catalog = try readCatalog()
    let changes = try changesAtHome(catalog)
    let leftOut = LeftOutView(catalog: catalog)
    let json: JSONValue = [
      "ok": true, "counts": .object(CatalogCounts(catalog).json), "left_out": leftOut.json,
      "changes": changes.map { .object(DifferenceView($0).json) } ?? nil,
    ]
    try invocation.print(json) { style in
      var text = "The catalog is fine: \(CatalogCounts(catalog).text).\n"
      text += leftOut.text(style: style)
      if let changes {
        text += "\nApplied to the home \(SafeText.escaped(invocation.home.path)) it would change:\n"
        text += DifferenceView(changes).text(style: style)
      }
      return text
    }
  }

  func apply() throws {
    let catalog = try readCatalog()
    let isDryRun = invocation.parsed.isDryRun
    let (difference, credited) = try invocation.withLedger { (ledger) throws(LedgerError) in
      if isDryRun { return (try ledger.previewApplying(catalog), 0) }
      let difference = try ledger.apply(catalog)
      // Paid purchases may have waited for a product.
      let backend = try HeldReceiptCommands.backend(ledger)
      let credited = try Blocking.wait { () async throws(LedgerError) in try await backend.decideHeld() }
      return (difference, credited)
    }
    let view = DifferenceView(difference)
    var json: JSONObject = ["dry_run": .bool(isDryRun), "credited_held_purchases": .integer(Int64(credited))]
    json.members += view.json.members
    try invocation.print(.object(json)) { style in
      let heading = isDryRun ? "Dry run; applying it would change:" : "Applied; this changed:"
      let changes =
        difference.isEmpty
        ? "Nothing changes: the catalog is in force as it is.\n" : "\(heading)\n\(view.text(style: style))"
      return changes + (credited > 0 ? "Credited held purchases: \(credited).\n" : "")
    }
  }

  private func readCatalog() throws(LedgerError) -> Catalog {
    try Catalog.loadFile(try FileAccess.read(invocation.parsed.positionals[0]))
  }

  /// Returns the changes that applying would make, if the home has a ledger.
  private func changesAtHome(_ catalog: Catalog) throws(LedgerError) -> CatalogDifference? {
    if try StorageChoice(invocation.settings.storage) == .home {
      guard FileAccess.exists(invocation.home.ledgerPath) else { return nil }
    }
    return try invocation.withLedger { (ledger) throws(LedgerError) in try ledger.previewApplying(catalog) }
  }
}
