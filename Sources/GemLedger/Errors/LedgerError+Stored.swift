// A refusal that is kept under a key is stored as JSON, with its original message.
extension LedgerError {
  package var stored: String {
    let details = details.map { detail -> (String, JSONValue) in
      switch detail.value {
      case .integer(let value): (detail.name, .integer(value))
      case .text(let value): (detail.name, .string(value))
      }
    }
    let document: JSONValue = [
      "code": .string(code.description), "message": .string(message), "details": .object(JSONObject(details)),
    ]
    return document.text()
  }

  package init?(stored text: String) {
    guard let document = Self.parse(text), let code = document["code"]?.text.flatMap(Code.init(_:)),
      let message = document["message"]?.text
    else { return nil }
    var details: [Detail] = []
    for (name, value) in document["details"]?.object?.members ?? [] {
      if let integer = value.integer { details.append(.integer(name, integer)) }
      if let text = value.text { details.append(.text(name, text)) }
    }
    self.init(code, message, details: details)
  }

  private static func parse(_ text: String) -> JSONValue? {
    do { return try JSONValue.parse(text) } catch { return nil }
  }
}
