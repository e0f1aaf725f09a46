internal import GemLedger

/// A line of an export.
enum ImportRecord {
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

  /// The sort rank of the record within an export.
  var rank: Int {
    switch self {
    case .header: 0
    case .catalog: 1
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

/// The data from earlier lines that reading a line needs.
struct ImportContext {
  /// The numbers of currencies by code.
  var currencies: [String: Int64] = [:]
  var ids = TransactionIDMaker(salt: 0)

  mutating func learn(_ rows: [CatalogRow]) {
    for row in rows where row.kind == .currency { currencies[row.code] = row.position }
  }

  func currency(_ code: String) throws(LineFault) -> Int64 {
    guard let number = currencies[code] else {
      throw LineFault("The currency \"\(code.prefix(60))\" is not in the catalog.")
    }
    return number
  }
}

extension ImportRecord {
  /// Reads a line.
  ///
  /// - Parameter tokens: The buffer that earlier lines were read with.
  init(_ line: ArraySlice<UInt8>, _ context: ImportContext, _ tokens: LineTokens) throws(LineFault) {
    try tokens.read(line)
    var fields = try ImportFields(tokens.value)
    switch try fields.text("type") {
    case "header": self = .header(try fields.header())
    case "catalog": self = try fields.catalog()
    case "environment": self = .environment(try fields.drawnEnvironment())
    case "customer": self = .customer(try fields.customer())
    case "purchase": self = .purchase(try fields.purchase(context))
    case "transaction": self = .transaction(try fields.transaction(context))
    case "key": self = .key(try fields.key())
    case "added_id": self = .addedID(try fields.addedID())
    // The first name is from older exports, which had refund notices only.
    case "refund_notice", "evidence": self = .evidence(try fields.evidence())
    case "order": self = .order(try fields.order())
    case "account_token": self = .accountToken(try fields.accountToken())
    case "entitlement": self = .entitlement(try fields.entitlement())
    case "end": self = .end(try fields.exportEnd())
    case let type: throw LineFault("\"\(type.prefix(60))\" is not a type of line.")
    }
  }
}

// MARK: The lines

extension ImportFields {
  fileprivate mutating func header() throws(LineFault) -> ExportHeader {
    guard try text("format") == JournalExport.formatName else { throw LineFault("This is not the export of a ledger.") }
    let version = try integer("format_version")
    guard version == JournalExport.formatVersion else {
      throw LineFault(
        "The export has format version \(version); this program reads version \(JournalExport.formatVersion).")
    }
    var own = try ImportFields(try value("project"))
    let project = ProjectRow(salt: try own.hexadecimal("salt"), createdAt: try own.time("created_at"))
    try own.end("salt", "created_at")
    let isDense: Bool = try word("numbering") { $0 == "dense" ? true : $0 == "sparse" ? false : nil }
    let catalogVersion = try count("catalog_version")
    let after = try value("after")
    guard after.isNull || after.text != nil else { throw LineFault("\"after\" is neither null nor a string.") }
    try end("type", "format", "format_version", "project", "numbering", "catalog_version", "after")
    return ExportHeader(
      project: project, isDense: isDense, catalogVersion: catalogVersion, after: after.text.map(ExportCursor.init))
  }

  fileprivate mutating func catalog() throws(LineFault) -> ImportRecord {
    var versions: [CatalogVersionRow] = []
    for value in try list(ifAny: "versions") {
      var own = try ImportFields(value)
      versions.append(CatalogVersionRow(version: try own.number("version"), appliedAt: try own.time("applied_at")))
      try own.end("version", "applied_at")
    }
    var rows: [CatalogRow] = []
    for value in try list(ifAny: "objects") {
      var own = try ImportFields(value)
      rows.append(
        CatalogRow(
          kind: try own.word("kind") { name in CatalogRow.Kind.allCases.first { $0.name == name } },
          code: try own.text("code"), position: try own.count("position"), document: try own.document("document")))
      try own.end("kind", "code", "position", "document")
    }
    try end("type", "versions", "objects")
    return .catalog(versions: versions, rows: rows)
  }

  fileprivate mutating func drawnEnvironment() throws(LineFault) -> EnvironmentRow {
    let number = try self.number("number")
    let kind = try word("kind", EnvironmentName.kind)
    let session: Identifier<TestSessionKind>? = try identifier(ifAny: "session")
    try end("type", "number", "kind", "session")
    return EnvironmentRow(number: number, environment: StoreEnvironment(kind: kind, session: session?.text))
  }

  fileprivate mutating func customer() throws(LineFault) -> CustomerRow {
    let row = CustomerRow(
      number: try number("number"), id: try identifier("id"), createdAt: try time("created_at"))
    try end("type", "number", "id", "created_at")
    return row
  }

  fileprivate mutating func purchase(_ context: ImportContext) throws(LineFault) -> PurchaseRow {
    let row = PurchaseRow(
      number: try number("number"), identity: try identity(), customer: try number("customer"),
      transaction: try transactionNumber("transaction"), product: try identifier("product"),
      quantity: try number("quantity"),
      price: try price(), purchasedAt: try time("purchased_at"), frozenProduct: try document("terms"),
      originalTransactionID: try identifier(ifAny: "original_transaction_id"), expiresAt: try time(ifAny: "expires_at"),
      grant: try grant(context))
    try end(
      "type", "number", "store", "environment", "store_transaction_id", "customer", "transaction", "product",
      "quantity", "price", "purchased_at", "terms", "original_transaction_id", "expires_at", "grant")
    return row
  }

  private mutating func grant(_ context: ImportContext) throws(LineFault) -> LotAmount? {
    guard let value = value(ifAny: "grant") else { return nil }
    var fields = try ImportFields(value)
    let grant = LotAmount(
      currency: try context.currency(try fields.text("currency")), lot: try fields.number("lot"),
      amount: try fields.number("amount"))
    try fields.end("currency", "lot", "amount")
    return grant
  }

  fileprivate mutating func key() throws(LineFault) -> KeyRow {
    let (customer, key): (Int64, IdempotencyKey) = (try number("customer"), try identifier("key"))
    let fingerprint = Fingerprint(
      asked: Int64(bitPattern: try hexadecimal("asked")), qualifiers: Int64(bitPattern: try hexadecimal("qualifiers")))
    let outcome: KeyRow.Outcome
    if let transaction = try transactionNumber(ifAny: "transaction") {
      outcome = .booked(transaction)
    } else {
      guard let refusal = KeptRefusal(stored: try document("refusal")) else {
        throw LineFault("\"refusal\" has no valid code and message.")
      }
      outcome = .refused(refusal)
    }
    try end("type", "customer", "key", "asked", "qualifiers", "transaction", "refusal")
    return KeyRow(customer: customer, key: key, fingerprint: fingerprint, outcome: outcome)
  }

  fileprivate mutating func addedID() throws(LineFault) -> AddedIDRow {
    let row = AddedIDRow(customer: try number("customer"), id: try identifier("id"))
    try end("type", "customer", "id")
    return row
  }

  fileprivate mutating func evidence() throws(LineFault) -> EvidenceRow {
    var row = EvidenceRow(
      identity: try identity(), kind: try word("kind", EvidenceRow.Kind.init(name:)),
      revokedAt: try time(ifAny: "revoked_at") ?? Timestamp(milliseconds: 0), signedAt: try time("signed_at"),
      extent: try extent() ?? .full, content: try text(ifAny: "content") ?? "", original: try text(ifAny: "original"))
    row.variant = try digest(ifAny: "variant") ?? 0
    row.firstSignedAt = try time(ifAny: "first_signed_at") ?? row.signedAt
    // Without a reason, the receipt is no longer held.
    if row.kind == .held, let reason = try word(ifAny: "reason", HoldReason.init(name:)) {
      row.held = EvidenceRow.HeldState(
        reason: reason, dueAt: try integer(ifAny: "due_at_milliseconds") ?? .max,
        customer: try number(ifAny: "customer") ?? 0, subject: try text(ifAny: "subject"))
    }
    try end(
      "type", "store", "environment", "store_transaction_id", "kind", "revoked_at", "variant", "first_signed_at",
      "signed_at", "milli_percent", "quantity", "units", "content", "original", "reason", "due_at_milliseconds",
      "customer", "subject")
    return row
  }

  fileprivate mutating func order() throws(LineFault) -> OrderRow {
    var row = OrderRow(
      number: try number("number"), code: try identifier("code"), customer: try number("customer"),
      store: try word("store", Store.init(name:)), product: try identifier("product"),
      quantity: try number("quantity"), request: try text("request"), key: try identifier(ifAny: "key"),
      createdAt: try time("created_at"), deadline: try time("deadline"))
    row.state = try word("state") { name in OrderRow.State.allCases.first { $0.name == name } }
    row.purchase = try number(ifAny: "purchase")
    row.updatedAt = try time("updated_at")
    row.dueAt = try integer(ifAny: "due_at_milliseconds") ?? .max
    row.deliveryAttempts = try count("delivery_attempts")
    let isPaid = row.state == .success || row.state == .deliveryPending
    guard isPaid == (row.purchase != nil) else {
      throw LineFault("A paid order needs a purchase, and an unpaid order must have none.")
    }
    try end(
      "type", "number", "code", "customer", "store", "product", "quantity", "request", "key", "created_at", "deadline",
      "state", "purchase", "updated_at", "due_at_milliseconds", "delivery_attempts")
    return row
  }

  fileprivate mutating func accountToken() throws(LineFault) -> AccountTokenRow {
    guard let (high, low) = HexForm.parseUUID(try text("token")) else { throw LineFault("\"token\" is not a UUID.") }
    let row = AccountTokenRow(
      token: TokenNumber(high: Int64(bitPattern: high), low: Int64(bitPattern: low)), customer: try number("customer"))
    try end("type", "token", "customer")
    return row
  }

  fileprivate mutating func entitlement() throws(LineFault) -> EntitlementRow {
    let row = EntitlementRow(purchase: try number("purchase"), holder: try number("holder"))
    try end("type", "purchase", "holder")
    return row
  }

  fileprivate mutating func exportEnd() throws(LineFault) -> ExportEnd {
    let row = ExportEnd(
      cursor: ExportCursor(try text("cursor")), transactions: try count("transactions"), entries: try count("entries"),
      lines: try count("lines"), checksum: try hexadecimal("checksum"))
    try end("type", "cursor", "transactions", "entries", "lines", "checksum")
    return row
  }
}
