public import GemLedger
internal import StoreBackend

/// All claims of a signed payload, those that are newer than this code too.
public struct SignedClaims: Hashable, Sendable {
  private let object: JSONObject

  init(_ object: JSONObject) { self.object = object }

  /// The names, in the order in which they were signed.
  public var names: [String] { object.members.map(\.name) }
  /// Every claim with its value as JSON, in that order.
  public var all: [(name: String, json: String)] { object.members.map { ($0.name, $0.value.text()) } }
  /// The payload as JSON, in one line; numbers as they were signed.
  public var json: String { JSONValue.object(object).text() }

  /// The text of a claim; nil where there is none, or where it is something else.
  public func text(_ name: String) -> String? { object[name]?.text }
  /// The whole number of a claim; nil where there is none, or where it is something else.
  public func integer(_ name: String) -> Int64? { object[name]?.integer }
  /// The truth value of a claim; nil where there is none, or where it is something else.
  public func flag(_ name: String) -> Bool? { object[name]?.bool }
  /// The claims of a nested object; nil where there is none, or where it is something else.
  public func claims(_ name: String) -> SignedClaims? { object[name]?.object.map(SignedClaims.init) }
  /// Any claim as JSON; nil where there is none.
  public func json(_ name: String) -> String? { object[name]?.text() }
  /// The instant of a claim in milliseconds since 1970, without its fraction; nil where it is none.
  public func instant(_ name: String) -> Timestamp? {
    // A claim that is no time is readable all the same, as JSON.
    try? ReceiptFields(object).optionalInstant(name)
  }
}
