public import GemLedger

extension BalanceImport {
  /// Reads a wallet ledger of Nakama: rows of its table `wallet_ledger` as JSON lines or comma-separated values.
  ///
  /// Each row is booked separately, oldest first, which keeps the histories.
  ///
  /// - Parameters:
  ///   - bytes: Rows with `user_id`, `changeset` and `create_time`, and optionally `id`, `metadata` and `update_time`.
  ///   - currencies: Currency codes by their names in the changesets; other names are used as codes.
  ///   - progress: Called with the number of bytes read and their total.
  /// - Throws: `LedgerError` with `invalid_import`, every problem listed with its line up to a bound.
  public static func nakama(
    _ bytes: [UInt8], currencies: [String: CurrencyCode] = [:], progress: (Int64, Int64) -> Void = { _, _ in }
  ) throws(LedgerError) -> Self {
    var problems = ImportProblems()
    var rows: [NakamaRow] = []
    let file = BalanceLines(bytes: bytes)
    if file.areJSON {
      file.readJSON(&problems, progress: progress) { (line, number) throws(LineFault) in
        rows.append(try NakamaRow(line, number))
      }
    } else {
      file.readRows(
        required: [["user_id"], ["changeset"], ["create_time"]], optional: ["id", "metadata", "update_time"],
        &problems, progress: progress
      ) { row throws(LineFault) in rows.append(try NakamaRow(row)) }
    }
    let lines = commands(rows, currencies, &problems)
    try problems.check("The file")
    let booked = lines.filter { !$0.amounts.isEmpty }
    return Self(lines: booked, withoutChange: Int64(lines.count - booked.count), areChanges: true)
  }

  private static func commands(
    _ rows: [NakamaRow], _ currencies: [String: CurrencyCode], _ problems: inout ImportProblems
  ) -> [Line] {
    var seen: [ByteString: Int64] = [:]
    var lines: [Line] = []
    for row in rows.sorted(by: { ($0.createdAt, $0.line) < ($1.createdAt, $1.line) }) {
      do throws(LineFault) {
        let own = row.name
        let count = seen[ByteString(own), default: 0]
        seen[ByteString(own)] = count + 1
        if row.id != nil, count > 0 { throw LineFault("The id \"\(own)\" occurs twice.") }
        lines.append(try row.line(named: count == 0 ? own : "\(own)/\(count)", currencies))
      } catch {
        problems.add(row.line, error.message)
      }
    }
    return lines
  }
}

/// One row of the wallet ledger.
private struct NakamaRow {
  let line: Int64
  let id: String?
  let user: String
  let changes: [(name: String, amount: Int64)]
  let metadata: String?
  let createdAt: Timestamp

  init(_ bytes: ArraySlice<UInt8>, _ line: Int64) throws(LineFault) {
    let value = try Self.json(Array(bytes))
    guard let user = value["user_id"]?.text else { throw LineFault("\"user_id\" is missing.") }
    guard let changes = value["changeset"] else { throw LineFault("\"changeset\" is missing.") }
    let metadata = value["metadata"]
    self.init(
      line: line, id: value["id"]?.text, user: user, changes: try Self.changes(try Self.unwrapped(changes)),
      metadata: metadata?.text ?? metadata?.text(), createdAt: try Self.time(value["create_time"]))
  }

  init(_ row: CSVTable.Row) throws(LineFault) {
    let changes = try Self.json(Array(try row.text("changeset").utf8))
    let time = try row.text("create_time")
    self.init(
      line: row.line, id: row["id"], user: try row.text("user_id"), changes: try Self.changes(changes),
      metadata: row["metadata"], createdAt: try Self.time(Int64(time).map(JSONValue.integer) ?? .string(time)))
  }

  private init(
    line: Int64, id: String?, user: String, changes: [(name: String, amount: Int64)], metadata: String?,
    createdAt: Timestamp
  ) {
    (self.line, self.id, self.user, self.changes) = (line, id, user, changes)
    (self.metadata, self.createdAt) = (metadata == "{}" || metadata == "null" ? nil : metadata, createdAt)
  }

  private static func json(_ bytes: [UInt8]) throws(LineFault) -> JSONValue {
    do throws(JSONError) { return try JSONValue.parse(bytes) } catch { throw LineFault(error.message) }
  }

  /// Unwraps a document that a database exported as a string.
  private static func unwrapped(_ value: JSONValue) throws(LineFault) -> JSONValue {
    guard let text = value.text else { return value }
    return try json(Array(text.utf8))
  }

  private static func changes(_ value: JSONValue) throws(LineFault) -> [(name: String, amount: Int64)] {
    guard let object = value.object else { throw LineFault("\"changeset\" is not an object of names and amounts.") }
    var changes: [(name: String, amount: Int64)] = []
    for (name, amount) in object.members {
      guard let amount = amount.integer, amount.magnitude <= UInt64(Limits.amount) else {
        throw LineFault("The change of \"\(name.prefix(40))\" is not a whole number up to \(Limits.amount).")
      }
      if amount != 0 { changes.append((name, amount)) }
    }
    return changes
  }

  /// Parses seconds since 1970, ISO 8601, or the format of PostgreSQL and CockroachDB: `2024-05-01 12:30:00.123456+00`.
  private static func time(_ value: JSONValue?) throws(LineFault) -> Timestamp {
    if let seconds = value?.integer, (0...Limits.expiryMilliseconds / 1000).contains(seconds) {
      return Timestamp(milliseconds: seconds * 1000)
    }
    guard let text = value?.text, let time = Timestamp(isoForm(of: text)) else {
      throw LineFault("\"create_time\" is not a time such as 2024-05-01T12:30:00Z.")
    }
    return time
  }

  private static func isoForm(of text: String) -> String {
    var text = text.replacing(" ", with: "T", maxReplacements: 1)
    if let dot = text.firstIndex(of: ".") {
      let digits = text[text.index(after: dot)...].prefix { $0.isNumber }
      let fraction = (digits + "000").prefix(3)
      text.replaceSubrange(digits.startIndex..<digits.endIndex, with: fraction)
    }
    let zone = text.suffix(3)
    return zone.first == "+" || zone.first == "-" ? text + ":00" : text
  }

  /// The unique name of the row: its id, or a hash of its contents.
  var name: String {
    if let id { return id }
    var hash = StableHash()
    hash.combine(user)
    hash.combine(UInt64(bitPattern: createdAt.milliseconds))
    for (name, amount) in changes {
      hash.combine(name)
      hash.combine(UInt64(bitPattern: amount))
    }
    hash.combine(metadata ?? "")
    return HexForm.hex(hash.value, digits: 16)
  }

  func line(
    named name: String, _ currencies: [String: CurrencyCode]
  ) throws(LineFault) -> BalanceImport.Line {
    do throws(LedgerError) {
      var amounts: [Adjustment] = []
      for change in changes {
        let code = if let known = currencies[change.name] { known } else { try CurrencyCode(change.name) }
        amounts.append(Adjustment(code, change.amount))
      }
      guard Set(amounts.map(\.currency)).count == amounts.count else {
        throw .invalid("Two names in the changeset map to one currency.")
      }
      let customer = try CustomerID(user)
      try customer.checkClientUsable()
      var command = LedgerCommand.adjust(
        amounts, customer: customer, key: try IdempotencyKey("nakama/\(name)"))
      command.reason = Reason(unchecked: reason)
      return BalanceImport.Line(number: line, command: command, amounts: amounts)
    } catch {
      throw LineFault(error.message)
    }
  }

  /// The row's time and metadata, truncated to the available length.
  private var reason: String {
    var text = "\(createdAt)"
    if let metadata, !ControlCharacters.occur(in: metadata) {
      text += " "
      for character in metadata {
        if text.utf8.count + character.utf8.count > Limits.reasonBytes { break }
        text.append(character)
      }
    }
    return text
  }
}
