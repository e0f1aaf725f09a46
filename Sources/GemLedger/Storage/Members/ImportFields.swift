/// Reads the members of one object of an export, and detects unread members.
package struct ImportFields {
  private let object: JSONNode
  /// The member to compare first: fields are read in writing order.
  private var upcoming: JSONNode.Members
  private var taken = 0

  package let context: ImportContext
  /// The transaction that the object is part of.
  package let transaction: TransactionRow?
  /// The first fault of the visited members.
  package private(set) var fault: LineFault?
  /// Collects the names of members instead of their values; nil while values are read.
  private var names: [String]?

  package init(
    _ value: JSONNode, _ context: ImportContext = ImportContext(), in transaction: TransactionRow? = nil
  ) throws(LineFault) {
    guard value.isObject else {
      throw LineFault("Expected an object, found \(value.isText ? "a string" : value.kind).")
    }
    object = value
    upcoming = value.members
    self.context = context
    self.transaction = transaction
  }

  // MARK: Members

  /// Visits all members of the object.
  mutating func visitAll(_ visit: (inout Self) -> Void) throws(LineFault) {
    visit(&self)
    if let fault { throw fault }
    try end { $0.names(visit) }
  }

  /// Sets a member of the visited row, unless an earlier one has a fault.
  mutating func set<Value>(
    _ name: StaticString, _ member: ExportMember, _ value: inout Value,
    _ read: (inout Self, _ name: StaticString) throws(LineFault) -> Value
  ) {
    guard fault == nil, !member.isAbsent else { return }
    do throws(LineFault) {
      value = try read(&self, member.name ?? name)
    } catch {
      if names == nil { fault = error }
    }
  }

  /// - Parameter omitted: The value of a member that the line does not have.
  mutating func set<Value>(
    _ name: StaticString, _ member: ExportMember, _ value: inout Value?, else omitted: Value?,
    _ read: (inout Self, _ name: StaticString) throws(LineFault) -> Value?
  ) {
    set(name, member, &value) { (fields, name) throws(LineFault) in
      let found = try read(&fields, name) ?? omitted
      return member.isRequired ? try Self.required(found, name) : found
    }
  }

  package func names(_ visit: (inout Self) -> Void) -> [String] {
    var fields = self
    fields.names = []
    visit(&fields)
    return fields.names ?? []
  }

  /// - Throws: If a member was not read.
  package func end(_ known: (Self) -> [String]) throws(LineFault) {
    guard taken != object.count else { return }
    let names = known(self)
    let name = object.members.lazy.compactMap(\.name.text).first { !names.contains($0) }
    throw LineFault("The field \"\(name?.prefix(60) ?? "")\" is unknown.")
  }

  // MARK: Values

  package mutating func value(ifAny name: StaticString) -> JSONNode? {
    if names != nil { names?.append(name.description) }
    // Every member is read once, so nothing is left to find after the last one.
    guard names == nil, taken < object.count else { return nil }
    let value = object.member(name, from: &upcoming)
    if value != nil { taken += 1 }
    return value
  }

  package func has(_ name: StaticString) -> Bool {
    var upcoming = upcoming
    return object.member(name, from: &upcoming) != nil
  }

  package static func required<Value>(_ value: Value?, _ name: StaticString) throws(LineFault) -> Value {
    guard let value else { throw LineFault("\"\(name)\" is missing.") }
    return value
  }

  package mutating func value(_ name: StaticString) throws(LineFault) -> JSONNode {
    try Self.required(value(ifAny: name), name)
  }

  package mutating func integer(_ name: StaticString) throws(LineFault) -> Int64 {
    try Self.required(try integer(ifAny: name), name)
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

  /// Reads a row's number, from 1.
  package mutating func number(ifAny name: StaticString) throws(LineFault) -> Int64? {
    try integer(ifAny: name, .number, .exported)
  }

  mutating func integer(
    ifAny name: StaticString, _ bound: ColumnBound, _ member: ExportMember
  ) throws(LineFault) -> Int64? {
    guard let number = try integer(ifAny: name) else { return nil }
    let bound = member.bound ?? bound
    if let least = member.least ?? bound.least, number < least {
      let must = least == 0 ? "must not be negative" : "must be at least \(least)"
      throw LineFault("\"\(name)\" is \(number), and \(must).")
    }
    guard bound.holds(number) else { throw LineFault("\"\(name)\" is \(number), out of range.") }
    return number
  }

  /// Reads a number that is not negative; 0 if it is missing.
  package mutating func count(_ name: StaticString) throws(LineFault) -> Int64 {
    try integer(ifAny: name, .amount, .exported(atLeast: 0)) ?? 0
  }

  package mutating func text(_ name: StaticString) throws(LineFault) -> String {
    try Self.required(try text(ifAny: name), name)
  }

  package mutating func text(ifAny name: StaticString) throws(LineFault) -> String? {
    try utf8(ifAny: name).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Reads the bytes of a text.
  mutating func utf8(ifAny name: StaticString) throws(LineFault) -> UnsafeBufferPointer<UInt8>? {
    guard let value = value(ifAny: name) else { return nil }
    guard value.isText else { throw LineFault("\"\(name)\" is not a string.") }
    return value.utf8
  }

  /// Reads the elements of a list; nil if the member is missing.
  package mutating func list(ifAny name: StaticString) throws(LineFault) -> JSONNode.Elements? {
    guard let value = value(ifAny: name) else { return nil }
    guard let list = value.elements else { throw LineFault("\"\(name)\" is not a list.") }
    return list
  }

  /// Reads a digest of sixteen hexadecimal digits.
  mutating func digest(ifAny name: StaticString) throws(LineFault) -> Int64? {
    guard let utf8 = try utf8(ifAny: name) else { return nil }
    if let digest = HexForm.number(utf8), digest != 0 { return Int64(bitPattern: digest) }
    let text = String(decoding: utf8, as: UTF8.self)
    guard text.utf8.count == 16, let digest = UInt64(text, radix: 16), digest != 0 else {
      throw LineFault("\"\(name)\" is not a digest of 16 hexadecimal digits other than 0.")
    }
    return Int64(bitPattern: digest)
  }

  // MARK: Words of the ledger

  mutating func time(ifAny name: StaticString) throws(LineFault) -> Timestamp? {
    guard let value = value(ifAny: name) else { return nil }
    guard value.isText, let time = TimestampText.read(value.utf8) else {
      throw LineFault("\"\(name)\" is not a time such as 2026-11-21T09:30:00.250Z.")
    }
    return time
  }

  package mutating func word<Word>(ifAny name: StaticString, _ read: (String) -> Word?) throws(LineFault) -> Word? {
    guard let text = try text(ifAny: name) else { return nil }
    guard let word = read(text) else {
      throw LineFault("\"\(name)\" is \"\(text.prefix(60))\", which is unknown.")
    }
    return word
  }

  package mutating func hexadecimal(_ name: StaticString) throws(LineFault) -> UInt64 {
    let value = try value(name)
    guard value.isText, let number = HexForm.number(value.utf8) else {
      throw LineFault("\"\(name)\" is not sixteen hexadecimal digits.")
    }
    return number
  }

  /// Reads a document that is written as a value or as a string.
  mutating func document(ifAny name: StaticString) -> String? {
    value(ifAny: name).map { $0.text ?? $0.json }
  }

  package static func pair(_ value: JSONNode, _ name: StaticString) throws(LineFault) -> (Int64, Int64) {
    guard var list = value.elements, list.count == 2, let one = list.next()?.integer, let other = list.next()?.integer
    else {
      throw LineFault("\"\(name)\" has an element that is not a list of two whole numbers.")
    }
    return (try within(RowBounds.number, one, name), try within(RowBounds.amount, other, name))
  }
}
