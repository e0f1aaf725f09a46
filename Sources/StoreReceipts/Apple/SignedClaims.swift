public import GemLedger
internal import StoreBackend

/// All claims of a signed payload, including unknown claims.
public struct SignedClaims: Hashable, Sendable {
  private let object: JSONObject

  private init(_ object: JSONObject) { self.object = object }

  init(_ fields: ReceiptFields) { object = fields.value?.object ?? [:] }

  /// The names, in signed order.
  public var names: [String] { object.members.map(\.name) }
  /// Every claim with its value as JSON, in signed order.
  public var all: [(name: String, json: String)] { object.members.map { ($0.name, $0.value.text()) } }
  /// The payload as JSON in one line; numbers are unchanged.
  public var json: String { JSONValue.object(object).text() }

  /// Returns the text of a claim; nil if the claim is missing or has another type.
  public func text(_ name: String) -> String? { object[name]?.text }
  /// Returns the whole number of a claim; nil if the claim is missing or has another type.
  public func integer(_ name: String) -> Int64? { object[name]?.integer }
  /// Returns the Boolean of a claim; nil if the claim is missing or has another type.
  public func flag(_ name: String) -> Bool? { object[name]?.bool }
  /// Returns the claims of a nested object; nil if the claim is missing or has another type.
  public func claims(_ name: String) -> SignedClaims? { object[name]?.object.map(SignedClaims.init) }
  /// Returns any claim as JSON; nil if the claim is missing.
  public func json(_ name: String) -> String? { object[name]?.text() }
  /// Returns the instant of a claim in milliseconds since 1970, without its fraction; nil for any other value.
  public func instant(_ name: String) -> Timestamp? {
    // An invalid instant is still available as JSON.
    try? ReceiptFields(object)[name].optional?.time()
  }
}
