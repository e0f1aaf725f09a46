#if Server
/// An input of a form, with its label.
struct Field: Sendable {
  enum Kind: Sendable {
    case text
    /// A key or another secret, which is not shown.
    case secret
    case lines
    /// An amount in plain digits.
    case amount
    case choice([(value: String, name: String)])
    case check
    /// A value that the form carries along.
    case hidden
  }

  let name: String
  let label: String
  let kind: Kind
  let hint: String?
  let isRequired: Bool
  let value: String

  init(
    _ name: String, _ label: String, _ kind: Kind = .text, value: String = "", hint: String? = nil,
    isRequired: Bool = true
  ) {
    self.name = name
    self.label = label
    self.kind = kind
    self.value = value
    self.hint = hint
    self.isRequired = isRequired
  }

  /// The reason that every change needs.
  static let reason = Field(
    "reason", "Reason", hint: "The history keeps it. At most 500 bytes.")

  static func hidden(_ name: String, _ value: String) -> HTML {
    HTML.element(.input, [], []).with(.type, "hidden").with(.name, name).with(.value, value)
  }

  func with(value: String) -> Field {
    Field(name, label, kind, value: value, hint: hint, isRequired: isRequired)
  }

  /// - Parameter sent: The values of the form as it was sent before; nil for a new form.
  func html(_ sent: FormValues? = nil) -> HTML {
    let value = sent.map { $0[name] ?? "" } ?? self.value
    if case .hidden = kind { return Self.hidden(name, value) }
    if case .choice(let options) = kind, sent != nil, !options.contains(where: { $0.value == value }) {
      // Browsers would choose the first option instead of one that is gone.
      return Field(name, label, .choice([(value: "", name: "Choose again")] + options), hint: hint).html()
    }
    let id = "field-\(name)"
    let hintID = "\(id)-hint"
    var input = control(value: value).with(.name, name).with(.id, id)
    if isRequired { input = input.with(.required) }
    if hint != nil { input = input.with(.ariaDescribedBy, hintID) }
    let label = HTML.element(.label, [], [.text(self.label + (isMarkedOptional ? " (optional)" : ""))]).with(.for, id)
    let note = hint.map { HTML.small(.text($0)).with(.id, hintID) } ?? .none
    if case .check = kind { return .div(input, label, note).classed("field check") }
    return .div(label, input, note).classed("field")
  }

  /// The sent value as a person reads it; nil for none, and for values that a preview does not repeat.
  func entered(_ sent: FormValues) -> HTML? {
    guard let value = sent[name] else { return nil }
    return switch kind {
    case .text, .amount: .foreign(value, limit: 200)
    case .choice(let options): options.first { $0.value == value }.map { .text($0.name) }
    case .secret, .lines, .check, .hidden: nil
    }
  }

  /// Whether the label says that it may be empty.
  private var isMarkedOptional: Bool {
    switch kind {
    case .text, .lines, .amount: !isRequired
    case .secret, .choice, .check, .hidden: false
    }
  }

  private func control(value: String) -> HTML {
    switch kind {
    case .text: input("text", value).with(.maxlength, "1500")
    case .secret: input("password", value).with(.autocomplete, "new-password")
    case .amount: input("text", value).with(.inputmode, "numeric").with(.autocomplete, "off")
    case .lines:
      HTML.element(.textarea, [], [.text(value)]).with(
        .rows, "\(min(30, max(3, value.split(separator: "\n").count + 1)))"
      ).with(.spellcheck, "false")
    case .choice(let options):
      .element(
        .select, [],
        options.map { option in
          let html = HTML.element(.option, [], [.text(option.name)]).with(.value, option.value)
          return option.value == value ? html.with(.selected) : html
        })
    case .hidden: .none
    case .check: value == "yes" ? input("checkbox", "yes").with(.checked) : input("checkbox", "yes")
    }
  }

  private func input(_ type: String, _ value: String) -> HTML {
    HTML.element(.input, [], []).with(.type, type).with(.value, value)
  }
}
#endif
