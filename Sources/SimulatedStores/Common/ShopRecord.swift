internal import GemLedger

/// Reads one record of a simulated store's event log, or a part of it.
struct ShopRecordReader {
  let object: JSONObject
  let identity: StoreIdentity

  init(_ value: JSONValue, _ identity: StoreIdentity) throws(LedgerError) {
    guard let object = value.object else { throw Self.damaged("a part of it is no object") }
    self.object = object
    self.identity = identity
  }

  static func damaged(_ what: String) -> LedgerError {
    LedgerError(.storageDamaged, "A record of the simulated store cannot be read: \(what).")
  }

  /// Returns the member if it is present and not null.
  func optional(_ name: String) -> JSONValue? {
    guard let value = object[name], !value.isNull else { return nil }
    return value
  }

  func value(_ name: String) throws(LedgerError) -> JSONValue {
    guard let value = optional(name) else { throw Self.damaged("\"\(name)\" is missing") }
    return value
  }

  func text(_ name: String) throws(LedgerError) -> String {
    guard let text = try value(name).text else { throw Self.damaged("\"\(name)\" is no text") }
    return text
  }

  func integer(_ name: String) throws(LedgerError) -> Int64 {
    guard let integer = try value(name).integer else { throw Self.damaged("\"\(name)\" is no number") }
    return integer
  }

  func unsigned(_ name: String) throws(LedgerError) -> UInt64 { UInt64(bitPattern: try integer(name)) }

  /// Returns the flag's value; a missing flag is false.
  func flag(_ name: String) -> Bool { optional(name)?.bool ?? false }

  func optionalText(_ name: String) throws(LedgerError) -> String? { optional(name) == nil ? nil : try text(name) }

  func optionalInteger(_ name: String) throws(LedgerError) -> Int64? {
    optional(name) == nil ? nil : try integer(name)
  }

  func time(_ name: String) throws(LedgerError) -> Timestamp { Timestamp(milliseconds: try integer(name)) }

  func optionalTime(_ name: String) throws(LedgerError) -> Timestamp? {
    try optionalInteger(name).map { Timestamp(milliseconds: $0) }
  }

  func word<Word: RawRepresentable<String>>(_ name: String) throws(LedgerError) -> Word {
    guard let word = Word(rawValue: try text(name)) else { throw Self.damaged("\"\(name)\" is no known word") }
    return word
  }

  func optionalOption<Word: RawRepresentable<String>>(_ name: String) throws(LedgerError) -> Word? {
    optional(name) == nil ? nil : try word(name) as Word
  }

  func number<Word: RawRepresentable<Int64>>(_ name: String) throws(LedgerError) -> Word {
    guard let word = Word(rawValue: try integer(name)) else { throw Self.damaged("\"\(name)\" is no known number") }
    return word
  }

  func reader(_ name: String) throws(LedgerError) -> ShopRecordReader { try ShopRecordReader(value(name), identity) }

  func list<Element>(
    _ name: String, _ read: (ShopRecordReader) throws(LedgerError) -> Element
  ) throws(LedgerError) -> [Element] {
    guard let values = try value(name).array else { throw Self.damaged("\"\(name)\" is no list") }
    var elements: [Element] = []
    for value in values { elements.append(try read(try ShopRecordReader(value, identity))) }
    return elements
  }

  func storefront(_ name: String) throws(LedgerError) -> StorefrontCode? {
    guard let text = try optionalText(name) else { return nil }
    guard let code = StorefrontCode(exactly: text) else { throw Self.damaged("there is no storefront \(text)") }
    return code
  }
}

/// A record in the making: nil and false values are left out.
struct ShopRecordWriter {
  private var object = JSONObject()

  init() {}

  init(_ kind: String) { self["e"] = .string(kind) }

  var json: JSONValue { .object(object) }

  /// Names are written once each, so there is no need to look for them.
  subscript(name: String) -> JSONValue? {
    get { object[name] }
    set { if let newValue { object.members.append((name, newValue)) } }
  }

  mutating func put(_ name: String, _ text: String?) { if let text { self[name] = .string(text) } }
  mutating func put(_ name: String, _ integer: Int64?) { if let integer { self[name] = .integer(integer) } }
  mutating func put(_ name: String, _ time: Timestamp?) { put(name, time?.milliseconds) }
  mutating func put(_ name: String, unsigned: UInt64) { put(name, Int64(bitPattern: unsigned)) }
  mutating func put(_ name: String, flag: Bool) { if flag { self[name] = true } }
}
