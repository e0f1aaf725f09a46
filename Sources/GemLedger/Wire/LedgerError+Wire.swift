extension LedgerError: WireValue {
  /// Reads the error; an unknown code becomes `unexpected`, with its text as the detail `code`.
  package init(wire: WireObject) throws(LedgerError) {
    let name = try wire["code"].text()
    var details: [Detail] = []
    for (detail, value) in try wire["details"].optional?.members() ?? [] {
      switch value.value {
      case .integer(let number): details.append(.integer(detail, number))
      case .string(let text): details.append(.text(detail, text))
      default: break
      }
    }
    let code = Code(name)
    if code == nil { details.append(.text("code", name)) }
    self.init(code ?? .unexpected, try wire["message"].text(), details: details)
    isReplayed = try wire["replayed"].flag()
  }

  /// Code, message, details by name, and whether it is the answer of an earlier call.
  package static let form = JSONForm<LedgerError>([
    .always("code", \.code.description, .text(1...100)), .always("message", \.message, .text()),
    .always("details", \.details, .details),
    .always("replayed", \.isReplayed, .boolean, "Whether it is the answer of an earlier call."),
  ])
}

extension JSONKind<[LedgerError.Detail]> {
  fileprivate static var details: Self {
    Self(.map(.anything)) { details in
      var members = JSONObject()
      for detail in details {
        switch detail.value {
        case .integer(let number): members[detail.name] = .integer(number)
        case .text(let text): members[detail.name] = .string(text)
        }
      }
      return .object(members)
    }
  }
}
