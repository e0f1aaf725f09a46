internal import GemLedger

/// Reads one record of a simulated store's event log, or a part of it.
typealias ShopRecordReader = JSONReader<StoreIdentity>

/// The context of a record: the members that all records of the shop have in common.
extension StoreIdentity: JSONContext {
  func error(_ problem: JSONProblem) -> LedgerError { ShopRecordReader.damaged("\(problem)") }
}

extension JSONReader<StoreIdentity> {
  var identity: StoreIdentity { context }

  static func damaged(_ what: String) -> LedgerError {
    LedgerError(.storageDamaged, "A record of the simulated store cannot be read: \(what).")
  }

  func unsigned() throws(LedgerError) -> UInt64 { UInt64(bitPattern: try integer()) }

  func number<Word: RawRepresentable<Int64>>() throws(LedgerError) -> Word {
    let number = try integer()
    guard let word = Word(rawValue: number) else { throw refused(expected: "a known number", found: "\(number)") }
    return word
  }

  func storefront() throws(LedgerError) -> StorefrontCode { try word(StorefrontCode.init(exactly:)) }
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
