internal import GemLedger

/// Reads the members of one object of an export, and detects unread members.
struct ImportFields {
  private let tokens: LineTokens
  private let object: Int
  /// The member to look at first: fields are read in writing order.
  private var upcoming: Int
  private var taken = 0

  init(_ value: ImportValue) throws(LineFault) {
    guard value.kind == .object else { throw LineFault("Expected an object, found \(value.kind.name).") }
    tokens = value.tokens
    object = value.position
    upcoming = object + 1
  }

  /// - Throws: If a member was not read.
  func end(_ known: StaticString...) throws(LineFault) {
    guard taken != tokens[object].count else { return }
    let names = known.map(\.description)
    var member = object + 1
    while member < tokens[object].next, tokens.text(member).map(names.contains) == true {
      member = tokens[member + 1].next
    }
    let name = member < tokens[object].next ? tokens.text(member) : nil
    throw LineFault("The field \"\(name?.prefix(60) ?? "")\" is unknown.")
  }

  // MARK: Values

  mutating func value(ifAny name: StaticString) -> ImportValue? {
    guard let position = tokens.value(name, of: object, from: upcoming) else { return nil }
    taken += 1
    upcoming = tokens[position].next
    return ImportValue(tokens: tokens, position: position)
  }

  mutating func value(_ name: StaticString) throws(LineFault) -> ImportValue {
    guard let value = value(ifAny: name) else { throw LineFault("\"\(name)\" is missing.") }
    return value
  }

  mutating func integer(_ name: StaticString) throws(LineFault) -> Int64 {
    guard let number = try integer(ifAny: name) else { throw LineFault("\"\(name)\" is missing.") }
    return number
  }

  mutating func integer(ifAny name: StaticString) throws(LineFault) -> Int64? {
    guard let value = value(ifAny: name) else { return nil }
    guard let number = value.integer else { throw LineFault("\"\(name)\" is not a whole number.") }
    return try Self.within(RowBounds.instant, number, name)
  }

  /// Checks a number of a line against a row's bounds; all numbers pass through here.
  private static func within(_ bound: Int64, _ number: Int64, _ name: StaticString) throws(LineFault) -> Int64 {
    guard RowBounds.isWithin(number, bound) else { throw LineFault("\"\(name)\" is \(number), out of range.") }
    return number
  }

  /// Reads an amount of either sign.
  mutating func amount(_ name: StaticString) throws(LineFault) -> Int64 {
    try Self.within(RowBounds.amount, try integer(name), name)
  }

  /// Reads a row's number, from 1.
  mutating func number(_ name: StaticString) throws(LineFault) -> Int64 {
    guard let number = try number(ifAny: name) else { throw LineFault("\"\(name)\" is missing.") }
    return number
  }

  mutating func number(ifAny name: StaticString) throws(LineFault) -> Int64? {
    guard let number = try integer(ifAny: name) else { return nil }
    guard number > 0 else { throw LineFault("\"\(name)\" is \(number), and must be at least 1.") }
    return try Self.within(RowBounds.number, number, name)
  }

  /// Reads a transaction number, from 1, with room for the numbers of its entries.
  mutating func transactionNumber(_ name: StaticString) throws(LineFault) -> TransactionNumber {
    try Self.within(RowBounds.transaction, try number(name), name)
  }

  mutating func transactionNumber(ifAny name: StaticString) throws(LineFault) -> TransactionNumber? {
    guard let number = try number(ifAny: name) else { return nil }
    return try Self.within(RowBounds.transaction, number, name)
  }

  /// Reads a number that is not negative; 0 if it is missing.
  mutating func count(_ name: StaticString) throws(LineFault) -> Int64 {
    let count = try integer(ifAny: name) ?? 0
    guard count >= 0 else { throw LineFault("\"\(name)\" is \(count), and must not be negative.") }
    return try Self.within(RowBounds.amount, count, name)
  }

  mutating func text(_ name: StaticString) throws(LineFault) -> String {
    guard let text = try value(name).text else { throw LineFault("\"\(name)\" is not a string.") }
    return text
  }

  mutating func text(ifAny name: StaticString) throws(LineFault) -> String? {
    guard let value = value(ifAny: name) else { return nil }
    guard let text = value.text else { throw LineFault("\"\(name)\" is not a string.") }
    return text
  }

  mutating func list(ifAny name: StaticString) throws(LineFault) -> ImportList {
    guard let value = value(ifAny: name) else { return ImportList() }
    guard let list = ImportList(value) else { throw LineFault("\"\(name)\" is not a list.") }
    return list
  }

  /// Reads a digest of sixteen hexadecimal digits.
  mutating func digest(_ name: StaticString) throws(LineFault) -> Int64 { try Self.digest(try text(name), name) }

  mutating func digest(ifAny name: StaticString) throws(LineFault) -> Int64? {
    guard let text = try text(ifAny: name) else { return nil }
    return try Self.digest(text, name)
  }

  private static func digest(_ text: String, _ name: StaticString) throws(LineFault) -> Int64 {
    guard text.utf8.count == 16, let digest = UInt64(text, radix: 16), digest != 0 else {
      throw LineFault("\"\(name)\" is not a digest of 16 hexadecimal digits other than 0.")
    }
    return Int64(bitPattern: digest)
  }

  // MARK: Words of the ledger

  mutating func identifier<Kind>(
    _ name: StaticString, as kind: Kind.Type = Kind.self
  ) throws(LineFault) -> Identifier<Kind> {
    try Self.identifier(try text(name), name)
  }

  mutating func identifier<Kind>(
    ifAny name: StaticString, as kind: Kind.Type = Kind.self
  ) throws(LineFault) -> Identifier<Kind>? {
    guard let text = try text(ifAny: name) else { return nil }
    return try Self.identifier(text, name) as Identifier<Kind>
  }

  private static func identifier<Kind>(_ text: String, _ name: StaticString) throws(LineFault) -> Identifier<Kind> {
    do throws(LedgerError) { return try Identifier(text) } catch { throw LineFault("\"\(name)\": \(error.message)") }
  }

  mutating func time(_ name: StaticString) throws(LineFault) -> Timestamp {
    guard let time = try time(ifAny: name) else { throw LineFault("\"\(name)\" is missing.") }
    return time
  }

  mutating func time(ifAny name: StaticString) throws(LineFault) -> Timestamp? {
    guard let value = value(ifAny: name) else { return nil }
    guard let time = value.bytes(TimestampText.read) ?? value.text.flatMap(Timestamp.init) else {
      throw LineFault("\"\(name)\" is not a time such as 2026-11-21T09:30:00.250Z.")
    }
    return time
  }

  mutating func word<Word>(_ name: StaticString, _ read: (String) -> Word?) throws(LineFault) -> Word {
    let text = try text(name)
    guard let word = read(text) else { throw Self.unknown(text, name) }
    return word
  }

  private static func unknown(_ text: String, _ name: StaticString) -> LineFault {
    LineFault("\"\(name)\" is \"\(text.prefix(60))\", which is unknown.")
  }

  mutating func word<Word>(ifAny name: StaticString, _ read: (String) -> Word?) throws(LineFault) -> Word? {
    guard let text = try text(ifAny: name) else { return nil }
    guard let word = read(text) else { throw Self.unknown(text, name) }
    return word
  }

  /// Reads the refunded part of a purchase; nil if the notice does not state it.
  mutating func extent() throws(LineFault) -> StoreRefund.Extent? {
    if let share = try number(ifAny: "milli_percent") { return .milliPercent(share) }
    if let units = try number(ifAny: "quantity") { return .totalQuantity(units) }
    if let units = try number(ifAny: "units") { return .quantity(units) }
    return try word(ifAny: "extent") { $0 == "full" ? .full : nil }
  }

  mutating func hexadecimal(_ name: StaticString) throws(LineFault) -> UInt64 {
    guard let value = try value(name).bytes(HexForm.number) else {
      throw LineFault("\"\(name)\" is not sixteen hexadecimal digits.")
    }
    return value
  }

  /// Reads a document that is written as a value or as a string.
  mutating func document(_ name: StaticString) throws(LineFault) -> String {
    let value = try value(name)
    return value.text ?? value.json
  }

  mutating func price() throws(LineFault) -> Money? {
    guard let value = value(ifAny: "price") else { return nil }
    var fields = try ImportFields(value)
    let price = Money(minorUnits: try fields.amount("minor_units"), currency: try fields.text("currency"))
    try fields.end("minor_units", "currency")
    return price
  }

  mutating func environment() throws(LineFault) -> Int64 {
    let value = try value("environment")
    if let number = value.integer, number > 0 { return try Self.within(RowBounds.number, number, "environment") }
    guard let name = value.text, let kind = EnvironmentName.kind(name) else {
      throw LineFault("\"environment\" is neither the name nor the number of an environment.")
    }
    return kind.rawValue
  }

  mutating func identity() throws(LineFault) -> PurchaseIdentity {
    PurchaseIdentity(
      store: try word("store", Store.init(name:)), environment: try environment(),
      transactionID: try identifier("store_transaction_id"))
  }

  static func pair(_ value: ImportValue, _ name: StaticString) throws(LineFault) -> (Int64, Int64) {
    guard var list = ImportList(value), list.count == 2, let one = list.next()?.integer,
      let other = list.next()?.integer
    else {
      throw LineFault("\"\(name)\" has an element that is not a list of two whole numbers.")
    }
    return (try within(RowBounds.number, one, name), try within(RowBounds.amount, other, name))
  }
}
