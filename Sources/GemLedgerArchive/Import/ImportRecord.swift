internal import GemLedger

/// A line of an export.
///
/// Indirect, since a transaction has ten arrays and values, and lines pass through several queues.
indirect enum ImportRecord {
  case header(ExportHeader)
  case catalog(versions: [CatalogVersionRow], rows: [CatalogRow])
  case environment(EnvironmentRow)
  case customer(CustomerRow)
  case purchase(PurchaseRow)
  case transaction(ImportedTransaction)
  case key(KeyRow)
  case addedID(AddedIDRow)
  case evidence(EvidenceRow)
  case order(OrderRow)
  case accountToken(AccountTokenRow)
  case entitlement(EntitlementRow)
  case end(ExportEnd)

  static let catalogRank = 1

  /// The sort rank of the record within an export.
  var rank: Int {
    switch self {
    case .header: 0
    case .catalog: Self.catalogRank
    case .environment: 2
    case .customer: 3
    case .purchase: 4
    case .transaction: 5
    // Refusals follow the added ids.
    case .key(let row): if case .booked = row.outcome { 6 } else { 8 }
    case .addedID: 7
    case .evidence: 9
    case .order: 10
    case .accountToken: 11
    case .entitlement: 12
    case .end: 13
    }
  }
}

/// An export's first line.
struct ExportHeader: Hashable {
  let project: ProjectRow
  let isDense: Bool
  let catalogVersion: Int64
  let after: ExportCursor?
}

/// An export's last line.
struct ExportEnd: Hashable {
  let cursor: ExportCursor
  let transactions: Int64
  let entries: Int64
  let lines: Int64
  let checksum: UInt64
}

extension ImportRecord {
  /// Reads a line.
  ///
  /// - Parameter tape: The memory of the line's tokens.
  init(_ line: ArraySlice<UInt8>, _ context: ImportContext, _ tape: inout JSONTape) throws(LineFault) {
    self = try line.withUnsafeBufferPointer { (bytes) throws(LineFault) in
      do throws(JSONError) { try tape.read(bytes) } catch {
        throw LineFault("\(error.message) (column \(error.column))")
      }
      return try tape.withRoot { (root) throws(LineFault) in try Self(root, context) }
    }
  }

  private init(_ root: JSONNode, _ context: ImportContext) throws(LineFault) {
    var fields = try ImportFields(root, context)
    switch try fields.text("type") {
    case "header": self = .header(try fields.header())
    case "catalog": self = try fields.catalog()
    case "environment": self = .environment(try fields.line())
    case "customer": self = .customer(try fields.line())
    case "purchase": self = .purchase(try fields.line())
    case "transaction": self = .transaction(try fields.importedTransaction())
    case "key": self = .key(try fields.key())
    case "added_id": self = .addedID(try fields.line())
    // The first name is from older exports, which had refund notices only.
    case "refund_notice", "evidence": self = .evidence(try fields.evidence())
    case "order": self = .order(try fields.order())
    case "account_token": self = .accountToken(try fields.line())
    case "entitlement": self = .entitlement(try fields.line())
    case "end": self = .end(try fields.exportEnd())
    case let type: throw LineFault("\"\(type.prefix(60))\" is not a type of line.")
    }
  }
}

// MARK: The lines

extension ImportFields {
  /// Reads a line that has the members of one row.
  fileprivate mutating func line<Row: ExportedRow>() throws(LineFault) -> Row {
    let row: Row = try row()
    try end { $0.names(of: Row.self) + ["type"] }
    return row
  }

  fileprivate mutating func header() throws(LineFault) -> ExportHeader {
    guard try text("format") == JournalExport.formatName else { throw LineFault("This is not the export of a ledger.") }
    let version = try integer("format_version")
    guard version == JournalExport.formatVersion else {
      throw LineFault(
        "The export has format version \(version); this program reads version \(JournalExport.formatVersion).")
    }
    let project: ProjectRow = try Self.row(try value("project"))
    let isDense = try Self.required(
      try word(ifAny: "numbering") { $0 == "dense" ? true : $0 == "sparse" ? false : nil }, "numbering")
    let catalogVersion = try count("catalog_version")
    let after = try value("after")
    guard after.isNull || after.isText else { throw LineFault("\"after\" is neither null nor a string.") }
    try end { _ in ["type", "format", "format_version", "project", "numbering", "catalog_version", "after"] }
    return ExportHeader(
      project: project, isDense: isDense, catalogVersion: catalogVersion, after: after.text.map(ExportCursor.init))
  }

  fileprivate mutating func catalog() throws(LineFault) -> ImportRecord {
    let versions: [CatalogVersionRow] = try rows("versions")
    let rows: [CatalogRow] = try rows("objects")
    try end { _ in ["type", "versions", "objects"] }
    return .catalog(versions: versions, rows: rows)
  }

  fileprivate mutating func key() throws(LineFault) -> KeyRow {
    let hasRefusal = has("refusal")
    let row: KeyRow = try line()
    switch row.outcome {
    case .refused: return row
    // From neither of the two members.
    case .booked(0):
      throw LineFault(hasRefusal ? "\"refusal\" has no valid code and message." : "\"refusal\" is missing.")
    case .booked:
      guard !hasRefusal else { throw LineFault("The field \"refusal\" is unknown.") }
      return row
    }
  }

  fileprivate mutating func evidence() throws(LineFault) -> EvidenceRow {
    let row: EvidenceRow = try line()
    guard row.kind == .held || row.held == nil else { throw LineFault("The field \"reason\" is unknown.") }
    return row
  }

  fileprivate mutating func order() throws(LineFault) -> OrderRow {
    let row: OrderRow = try line()
    let isPaid = row.state == .success || row.state == .deliveryPending
    guard isPaid == (row.purchase != nil) else {
      throw LineFault("A paid order needs a purchase, and an unpaid order must have none.")
    }
    return row
  }

  fileprivate mutating func exportEnd() throws(LineFault) -> ExportEnd {
    let row = ExportEnd(
      cursor: ExportCursor(try text("cursor")), transactions: try count("transactions"), entries: try count("entries"),
      lines: try count("lines"), checksum: try hexadecimal("checksum"))
    try end { _ in ["type", "cursor", "transactions", "entries", "lines", "checksum"] }
    return row
  }
}
