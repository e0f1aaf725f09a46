import GemLedger
import LedgerCharts
import StoreBackend

/// `catalog show`, `catalog check`, `catalog apply` and `catalog history`.
struct CatalogCommands {
  let invocation: Invocation

  func show() throws {
    let (version, catalog) = try invocation.withLedger { (ledger) throws(LedgerError) in
      try ledger.catalogEditor.current()
    }
    let file = CatalogFile(catalog: catalog, version: invocation.parsed.has("--with-version") ? version : nil)
    guard !invocation.isJSON else { return try invocation.terminal.output(file.text) }
    let text = CatalogView(catalog: catalog).text(style: invocation.terminal.outputStyle)
    try invocation.terminal.output("Version \(version)\n\n\(text)")
  }

  func check() throws {
    let catalog = try readFile().catalog
    let changes = try changesAtHome(catalog)
    let leftOut = LeftOutView(catalog: catalog)
    let json: JSONValue = [
      "ok": true, "counts": .object(CatalogCounts(catalog).json), "left_out": leftOut.json,
      "changes": changes?.json ?? .null,
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
    let file = try readFile()
    var details = CatalogChangeDetails(actor: Invocation.actor, reason: try invocation.details().reason)
    details.baseVersion = try invocation.parsed.integer("--if-version", in: 0...Int64.max) ?? file.version
    guard !invocation.parsed.isDryRun else { return try preview(file.catalog, details) }
    let (applied, credited) = try invocation.withLedger { (ledger) throws(LedgerError) in
      let applied = try ledger.catalogEditor.change(details) { (_) in file.catalog }
      // Paid purchases may have waited for a product.
      let backend = try HeldReceiptCommands.backend(ledger)
      let credited = try Blocking.wait { () async throws(LedgerError) in try await backend.decideHeld() }
      return (applied, credited)
    }
    var json: JSONObject = ["dry_run": false, "credited_held_purchases": .integer(Int64(credited))]
    json.members += CatalogDifference.form.object(applied.difference).members
    json["version"] = .integer(applied.version)
    try invocation.print(.object(json)) { style in
      let changes = Self.text(applied.difference, "Applied as version \(applied.version); this changed:", style)
      return changes + (credited > 0 ? "Credited held purchases: \(credited).\n" : "")
    }
  }

  private func preview(_ catalog: Catalog, _ details: CatalogChangeDetails) throws {
    let preview = try invocation.withLedger { (ledger) throws(LedgerError) in
      try ledger.catalogEditor.preview(details) { (_) in catalog }
    }
    var json: JSONObject = ["dry_run": true, "credited_held_purchases": 0]
    json.members += CatalogDifference.form.object(preview.difference).members
    json["version"] = .integer(preview.version)
    json["impact"] = preview.impact.json
    try invocation.print(.object(json)) { style in
      Self.text(preview.difference, "Dry run; applying it would change:", style) + ImpactView.text(preview.impact)
    }
  }

  func history() throws {
    let limit = try invocation.limit()
    let end = try invocation.parsed.integer("--before", in: 1...Int64.max)
    let erased = try invocation.parsed.integer("--erase-author", in: 1...Int64.max)
    let versions = try invocation.withLedger { (ledger) throws(LedgerError) in
      if let erased { try ledger.catalogEditor.eraseAuthor(of: erased) }
      return try ledger.catalogEditor.versions(below: end, limit: limit)
    }
    let next = versions.last.flatMap { $0.version > 1 ? $0.version : nil }
    let json: JSONValue = ["versions": .array(versions.map(Self.json)), "next": JSONValue(next)]
    try invocation.print(json) { style in
      versions.table([
        .right("VERSION") { "\($0.version)" }, .time("TIME", \.appliedAt), .left("ACTOR") { $0.actor?.text ?? "" },
        .text("CHANGES") { $0.changes.map { DifferenceView($0).summary } ?? "not recorded" },
        .text("REASON") { $0.reason?.text ?? "" },
      ]).text(style: style, none: "No catalog was ever applied.")
    }
  }

  private static func json(_ version: CatalogVersion) -> JSONValue {
    [
      "version": .integer(version.version), "applied_at": .string(version.appliedAt.description),
      "actor": JSONValue(version.actor), "reason": JSONValue(version.reason),
      "change_count": JSONValue(version.changeCount), "changes": version.changes?.json ?? .null,
    ]
  }

  private static func text(_ difference: CatalogDifference, _ heading: String, _ style: Style) -> String {
    guard !difference.isEmpty else { return "Nothing changes: the catalog is in force as it is.\n" }
    return "\(heading)\n\(DifferenceView(difference).text(style: style))"
  }

  private func readFile() throws(LedgerError) -> CatalogFile {
    try CatalogFile(try FileAccess.read(invocation.parsed.positionals[0]))
  }

  /// Returns the changes that applying would make, if the home has a ledger.
  private func changesAtHome(_ catalog: Catalog) throws(LedgerError) -> CatalogDifference? {
    if try StorageChoice(invocation.settings.storage) == .home {
      guard FileAccess.exists(invocation.home.ledgerPath) else { return nil }
    }
    return try invocation.withLedger { (ledger) throws(LedgerError) in try ledger.previewApplying(catalog) }
  }
}

/// A file with a catalog, as `catalog show --json` prints it: the catalog alone, or with its version.
struct CatalogFile {
  let catalog: Catalog
  /// The version that the catalog had; nil if the file has the catalog alone.
  let version: Int64?

  var text: String {
    guard let version else { return catalog.text() }
    return (["version": .integer(version), "catalog": catalog.json()] as JSONValue).text(.pretty) + "\n"
  }
}

extension CatalogFile {
  init(_ bytes: [UInt8]) throws(LedgerError) {
    // A text that is not JSON is reported by the reader of catalogs.
    let json = try? JSONValue.parse(bytes)
    guard let version = json?["version"]?.integer, let inner = json?["catalog"], json?.object?.members.count == 2 else {
      self.init(catalog: try Catalog.loadFile(bytes), version: nil)
      return
    }
    do throws(CatalogProblems) { self.init(catalog: try Catalog(json: inner), version: version) } catch {
      throw error.ledgerError
    }
  }
}
