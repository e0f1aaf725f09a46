/// A refusal stored under a key, with its position in the journal.
package struct KeptRefusal: Hashable, Sendable {
  package var error: LedgerError
  /// Every transaction up to this number is older than the refusal; nil if stored before positions were kept.
  package var after: TransactionNumber?

  package init(_ error: LedgerError, after: TransactionNumber?) {
    self.error = error
    self.after = after
  }
}

// Stored as JSON, with its original message.
extension KeptRefusal {
  package var stored: String {
    let details = error.details.map { detail -> (String, JSONValue) in
      switch detail.value {
      case .integer(let value): (detail.name, .integer(value))
      case .text(let value): (detail.name, .string(value))
      }
    }
    var document: [(String, JSONValue)] = [
      ("code", .string(error.code.description)), ("message", .string(error.message)),
      ("details", .object(JSONObject(details))),
    ]
    if let after { document.append(("after", .integer(after))) }
    return JSONValue.object(JSONObject(document)).text()
  }

  package init?(stored text: String) {
    guard let document = Self.parse(text), let code = document["code"]?.text.flatMap(LedgerError.Code.init(_:)),
      let message = document["message"]?.text
    else { return nil }
    var details: [LedgerError.Detail] = []
    for (name, value) in document["details"]?.object?.members ?? [] {
      if let integer = value.integer { details.append(.integer(name, integer)) }
      if let text = value.text { details.append(.text(name, text)) }
    }
    let after = document["after"]?.integer
    guard (after ?? 0) >= 0 else { return nil }
    self.init(LedgerError(code, message, details: details), after: after)
  }

  private static func parse(_ text: String) -> JSONValue? {
    do { return try JSONValue.parse(text) } catch { return nil }
  }
}
