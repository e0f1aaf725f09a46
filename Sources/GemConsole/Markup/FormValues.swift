#if Server
internal import GemLedger
internal import SystemHTTP

/// The values of a sent form, in order.
struct FormValues: Sendable {
  private(set) var fields: [(name: String, value: String)] = []

  init(_ fields: [(name: String, value: String)] = []) { self.fields = fields }

  /// Reads a body of `application/x-www-form-urlencoded`.
  ///
  /// - Throws: `LedgerError` with `invalid_request`.
  init(body: [UInt8]) throws(LedgerError) {
    for pair in body.split(separator: UInt8(ascii: "&")) {
      let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = Percent.decoded(parts[0], plusIsSpace: true),
        let value = parts.count == 2 ? Percent.decoded(parts[1], plusIsSpace: true) : ""
      else { throw LedgerError(.invalidRequest, "The form has characters that are not UTF-8, or NUL.") }
      // Browsers send line ends of text areas as CRLF.
      fields.append((name, value.replacing("\r\n", with: "\n")))
    }
  }

  /// The first value of this name, without spaces around it; nil if it is missing or empty.
  subscript(name: String) -> String? {
    guard let field = fields.first(where: { $0.name == name }) else { return nil }
    let value = field.value.drop { $0 == " " }
    let end = value.lastIndex { $0 != " " }
    return end.map { String(value[...$0]) }
  }

  /// All values of this name.
  func all(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

  /// Returns the values without those of these names.
  func without(_ names: String...) -> FormValues { FormValues(fields.filter { !names.contains($0.name) }) }
}
#endif
