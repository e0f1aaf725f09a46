internal import GemLedger

// Rows that can change after they were written: exported whole if any of them changed since the last export.

extension JournalExport {
  mutating func writeIfChanged(_ section: ExportSection) throws(LedgerError) {
    let known = position.sections[section.rawValue]
    if after != nil {
      let sum = ExportWriter(nil)
      try write(section, to: sum)
      position.sections[section.rawValue] = sum.checksum
      if sum.checksum == known { return }
    }
    let before = writer.checksum
    try write(section, to: writer)
    position.sections[section.rawValue] = writer.checksum &- before
  }

  private func write(_ section: ExportSection, to writer: ExportWriter) throws(LedgerError) {
    switch section {
    case .addedIDs: try writeAddedIDs(writer)
    case .refusals: try writeRefusals(writer)
    case .evidence: try writeEvidence(writer)
    case .orders: try writeOrders(writer)
    case .accountTokens: try writeTokens(writer)
    case .entitlements: try writeEntitlements(writer)
    }
  }

  private func writeAddedIDs(_ writer: ExportWriter) throws(LedgerError) {
    try pages(from: 0, snapshot.customers(after:limit:), position: \.number) { (rows) throws(LedgerError) in
      let added = try snapshot.addedIDs(of: rows.map(\.number))
      if added.isEmpty { return }
      for row in rows {
        for id in (added[row.number] ?? []).sorted() {
          writer.begin("added_id")
          writer.integer("customer", row.number)
          writer.text("id", id.text)
          try writer.end()
        }
      }
    }
  }

  private func writeRefusals(_ writer: ExportWriter) throws(LedgerError) {
    try forEachKey { (row) throws(LedgerError) in
      guard let kept = row.keptRefusal else {
        if row.bookedTransaction != 0 { return }
        throw LedgerError(.booksWrong, "A key of customer \(row.customer) has neither a transaction nor a refusal.")
      }
      JournalLines.begin(row, writer)
      writer.document("refusal", kept.stored)
      try writer.end()
    }
  }

  private func writeEvidence(_ writer: ExportWriter) throws(LedgerError) {
    try pages(from: nil, scan.evidence(after:limit:), position: \.self) { (rows) throws(LedgerError) in
      for row in rows {
        writer.begin("evidence")
        writer.identify(row)
        if row.firstSignedAt != row.signedAt { writer.time("first_signed_at", row.firstSignedAt) }
        writer.time("signed_at", row.signedAt)
        writer.amount(of: row.extent)
        if !row.content.isEmpty { writer.text("content", row.content) }
        writer.text("original", ifAny: row.original)
        if let held = row.held {
          writer.text("reason", held.reason.name)
          if held.dueAt != .max { writer.integer("due_at_milliseconds", held.dueAt) }
          if held.customer != 0 { writer.integer("customer", held.customer) }
          writer.text("subject", ifAny: held.subject)
        }
        try writer.end()
      }
    }
  }

  private func writeOrders(_ writer: ExportWriter) throws(LedgerError) {
    try pages(from: 0, scan.orders(after:limit:), position: \.number) { (rows) throws(LedgerError) in
      for row in rows {
        writer.begin("order")
        writer.integer("number", row.number)
        writer.text("code", row.code.text)
        writer.integer("customer", row.customer)
        writer.text("store", row.store.description)
        writer.text("product", row.product.text)
        writer.integer("quantity", row.quantity)
        writer.text("key", ifAny: row.key?.text)
        writer.text("state", row.state.name)
        writer.integer("purchase", ifAny: row.purchase)
        writer.time("created_at", row.createdAt)
        writer.time("updated_at", row.updatedAt)
        writer.time("deadline", row.deadline)
        if row.dueAt != .max { writer.integer("due_at_milliseconds", row.dueAt) }
        writer.integer("delivery_attempts", row.deliveryAttempts)
        writer.text("request", row.request)
        try writer.end()
      }
    }
  }

  private func writeTokens(_ writer: ExportWriter) throws(LedgerError) {
    try pages(from: nil, scan.accountTokens(after:limit:), position: \.self) { (rows) throws(LedgerError) in
      for row in rows {
        writer.begin("account_token")
        writer.text(
          "token",
          HexForm.uuid(high: UInt64(bitPattern: row.token.high), low: UInt64(bitPattern: row.token.low)))
        writer.integer("customer", row.customer)
        try writer.end()
      }
    }
  }

  private func writeEntitlements(_ writer: ExportWriter) throws(LedgerError) {
    try pages(from: 0, scan.purchases(after:limit:), position: \.number) { (rows) throws(LedgerError) in
      let holders = try snapshot.entitlementHolders(of: rows.map { RowAddress($0.number, of: $0.customer) })
      if holders.isEmpty { return }
      for row in rows {
        guard let holder = holders[row.number] else { continue }
        writer.begin("entitlement")
        writer.integer("purchase", row.number)
        writer.integer("holder", holder)
        try writer.end()
      }
    }
  }

  /// Reads a table from start to end, page by page.
  func pages<Row, Position>(
    from start: Position, _ rows: (Position, Int) throws(LedgerError) -> [Row], position: (Row) -> Position,
    _ body: ([Row]) throws(LedgerError) -> Void
  ) throws(LedgerError) {
    var last = start
    while true {
      let page = try rows(last, Self.pageSize)
      guard let end = page.last else { return }
      last = position(end)
      try body(page)
    }
  }
}
