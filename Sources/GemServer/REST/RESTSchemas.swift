#if Server
internal import GemLedger
internal import SystemHTTP

/// Forms that several operations of the REST API use.
enum RESTSchemas {
  /// A text that is a valid identifier of the ledger.
  static func identifier(_ lengthMax: Int) -> Schema {
    .text(1...lengthMax, pattern: "^[^\\u0000-\\u001f\\u007f-\\u009f]+$")
  }

  /// Milliseconds since 1970.
  static let milliseconds = Schema.integer()

  static func object(_ name: String, _ fields: [Schema.Field]) -> Schema {
    .object([Schema.Field("object", .word([name]), isRequired: true)] + fields)
  }

  /// Returns the answer to the deletion of an object.
  static func deleted(_ name: String) -> Schema {
    object(
      name,
      [
        Schema.Field("id", .text(), isRequired: true),
        Schema.Field("deleted_at", milliseconds, "The deletion, in milliseconds since 1970.", isRequired: true),
      ])
  }

  static func deletedAnswer(_ name: String, id: String, at instant: Timestamp) -> HTTPResponse {
    .json(200, ["object": .string(name), "id": .string(id), "deleted_at": .integer(instant.milliseconds)])
  }

  static let expand = Parameter(
    "expand", .text(),
    "Taken for clients that send it: the answer has packages and products with and without it, and never an app.")
}

extension LedgerError {
  /// Returns the error with the part of the request that it concerns.
  func about(_ param: String) -> LedgerError {
    guard text("param") == nil else { return self }
    var error = LedgerError(code, message, details: details + [.text("param", param)])
    error.isReplayed = isReplayed
    return error
  }
}
#endif
