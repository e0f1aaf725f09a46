/// The schema of a JSON value or a parameter, for checks of requests and for descriptions of an API.
package indirect enum Schema: Sendable {
  /// A text of a length in characters; `pattern` is a regular expression for documentation only.
  case text(ClosedRange<Int> = 0...1_048_576, pattern: String? = nil)
  case word([String])
  case integer(ClosedRange<Int64> = Int64.min...Int64.max)
  /// A non-negative number of at most twelve plain digits, with at most three decimal places.
  case decimal
  case boolean
  case list(Schema, ClosedRange<Int> = 0...10_000)
  /// An object with any names and values of one form.
  case map(Schema, ClosedRange<Int> = 0...10_000)
  case object([Field])
  case nullable(Schema)
  /// A form with additional constraints in its description, which the work checks.
  case stating(JSONObject, Schema)
  /// Any JSON value.
  case anything

  /// A member of an object.
  package struct Field: Sendable {
    package let name: String
    package let schema: Schema
    package let help: String
    package let isRequired: Bool

    package init(_ name: String, _ schema: Schema, _ help: String = "", isRequired: Bool = false) {
      self.name = name
      self.schema = schema
      self.help = help
      self.isRequired = isRequired
    }

    /// A member that is always present in an answer.
    package static func always(_ name: String, _ schema: Schema, _ help: String = "") -> Self {
      Self(name, schema, help, isRequired: true)
    }
  }
}

extension Schema {
  package static let currencyCode = Schema.text(1...10, pattern: "^[a-zA-Z0-9_]+$")
  package static let transactionID = Schema.text(36...36)
}
