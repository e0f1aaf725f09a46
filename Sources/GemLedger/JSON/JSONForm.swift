/// A value with one JSON form.
package protocol JSONDocument: Sendable {
  static var form: JSONForm<Self> { get }
}

extension JSONDocument {
  package static var schema: Schema { form.schema }

  package var json: JSONValue { Self.form.json(self) }
}

/// The JSON form of a value: its members in their order, each described once for writers and for API descriptions.
package struct JSONForm<Value>: Sendable {
  package struct Member: Sendable {
    package let field: Schema.Field
    /// The member's content; nil leaves it out.
    fileprivate let json: @Sendable (Value) -> JSONValue?

    /// A member that is always present.
    package static func always<Content>(
      _ name: String, _ content: @escaping @Sendable (Value) -> Content, _ kind: JSONKind<Content>, _ help: String = ""
    ) -> Self {
      Self(field: .always(name, kind.schema, help)) { kind.json(content($0)) }
    }

    /// A member that values always have, and that requests may leave out.
    package static func defaulted<Content>(
      _ name: String, _ content: @escaping @Sendable (Value) -> Content, _ kind: JSONKind<Content>, _ help: String = ""
    ) -> Self {
      Self(field: Schema.Field(name, kind.schema, help)) { kind.json(content($0)) }
    }

    /// A member that is left out if it has no content.
    package static func sometimes<Content>(
      _ name: String, _ content: @escaping @Sendable (Value) -> Content?, _ kind: JSONKind<Content>, _ help: String = ""
    ) -> Self {
      Self(field: Schema.Field(name, kind.schema, help)) { content($0).map(kind.json) }
    }
  }

  package let members: [Member]

  package init(_ members: [Member]) { self.members = members }

  package var schema: Schema { .object(members.map(\.field)) }

  package func json(_ value: Value) -> JSONValue { .object(object(value)) }

  package func object(_ value: Value) -> JSONObject {
    JSONObject(members.compactMap { member in member.json(value).map { (member.field.name, $0) } })
  }
}

extension JSONForm.Member {
  /// The name of the kind of the object, as RevenueCat's API writes it.
  package static func object(_ name: String) -> Self {
    Self(field: .always("object", .word([name]))) { _ in .string(name) }
  }
}

/// The form of a member's content.
package struct JSONKind<Content>: Sendable {
  package let schema: Schema
  package let json: @Sendable (Content) -> JSONValue

  package init(_ schema: Schema, _ json: @escaping @Sendable (Content) -> JSONValue) {
    self.schema = schema
    self.json = json
  }

  package static func nullable<Wrapped>(_ kind: JSONKind<Wrapped>) -> Self where Content == Wrapped? {
    Self(.nullable(kind.schema)) { $0.map(kind.json) ?? .null }
  }

  package static func list<Element>(_ kind: JSONKind<Element>) -> Self where Content: Sequence<Element> & Sendable {
    Self(.list(kind.schema)) { .array($0.map(kind.json)) }
  }

  package static func form(_ form: JSONForm<Content>) -> Self { Self(form.schema) { form.json($0) } }

  /// One of a few values, by their names.
  package static func word(
    _ all: some Sequence<Content>, _ name: @escaping @Sendable (Content) -> String
  ) -> Self {
    Self(.word(all.map(name))) { .string(name($0)) }
  }
}

extension JSONKind where Content: JSONDocument {
  package static var value: Self { .form(Content.form) }
}

extension JSONKind<String> {
  package static func text(_ bounds: ClosedRange<Int> = 0...1_048_576, pattern: String? = nil) -> Self {
    Self(.text(bounds, pattern: pattern), JSONValue.string)
  }

  package static func word(_ words: [String]) -> Self { Self(.word(words), JSONValue.string) }
}

extension JSONKind<Int64> {
  package static func integer(_ bounds: ClosedRange<Int64> = Int64.min...Int64.max) -> Self {
    Self(.integer(bounds), JSONValue.integer)
  }
}

extension JSONKind<Bool> {
  package static var boolean: Self { Self(.boolean, JSONValue.bool) }
}

extension JSONKind<Timestamp> {
  /// Milliseconds since 1970.
  package static var instant: Self { Self(.integer()) { .integer($0.milliseconds) } }
}

extension JSONKind<CurrencyCode> {
  package static var currency: Self { Self(.currencyCode) { .string($0.description) } }
}

extension JSONKind<TransactionID> {
  package static var transactionID: Self { Self(.transactionID) { .string($0.description) } }
}

extension JSONKind<[CurrencyAmount]> {
  /// Amounts by currency code.
  package static var amounts: Self { Self(.map(.integer())) { JSONValue(amounts: $0) } }
}

extension JSONKind {
  package static func identifier<Kind>() -> Self where Content == Identifier<Kind> {
    Self(.text(1...Kind.byteCountMax)) { .string($0.text) }
  }

  /// An identifier, without its bound in the description.
  package static func anyIdentifier<Kind>() -> Self where Content == Identifier<Kind> {
    Self(.text()) { .string($0.text) }
  }
}
