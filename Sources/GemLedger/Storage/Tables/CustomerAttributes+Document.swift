/// The document with a customer's attributes.
extension CustomerAttributes {
  /// The common prefix of all documents with attributes.
  static let documentPrefix = "customer/attributes/"

  /// Returns the name of a customer's document; names sort like the numbers.
  static func documentName(_ customer: CustomerNumber) throws(LedgerError) -> DocumentName {
    try DocumentName(documentPrefix + digits(of: customer))
  }

  /// Returns the customer's number as the end of a name.
  static func digits(of customer: CustomerNumber) -> String {
    HexForm.hex(UInt64(bitPattern: customer), digits: 16)
  }

  /// Returns the customer whose number ends the name; nil for another document.
  static func customer(of name: DocumentName) -> CustomerNumber? {
    UInt64(name.text.suffix(16), radix: 16).map { Int64(bitPattern: $0) }
  }

  /// - Throws: `LedgerError` with `storage_damaged`.
  init(_ row: DocumentRow) throws(LedgerError) {
    let members: [(name: String, value: JSONValue)]
    do throws(JSONError) { members = try JSONValue.parse(row.content).object?.members ?? [] } catch {
      throw LedgerError(.storageDamaged, "The document \(row.name) is not JSON; run verify.")
    }
    for (name, value) in members {
      guard let text = value["value"]?.text, let updatedAt = value["updated_at"]?.integer else { continue }
      list.append(CustomerAttribute(name: name, value: text, updatedAt: Timestamp(milliseconds: updatedAt)))
    }
  }

  var content: String {
    JSONValue.object(
      JSONObject(
        list.map { ($0.name, ["value": .string($0.value), "updated_at": .integer($0.updatedAt.milliseconds)]) })
    ).text()
  }
}
