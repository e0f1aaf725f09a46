internal import GemLedger

/// The facts that the next decision about a held purchase needs, in addition to the store's statements.
struct HoldNote: Sendable {
  /// The order that the client named.
  var order: PurchaseCode?
  /// How often it was decided again.
  var attempts: Int64 = 0

  init(order: PurchaseCode? = nil, attempts: Int64 = 0) {
    self.order = order
    self.attempts = attempts
  }

  /// - Parameter text: As ``text`` gave it; an erased one is empty.
  init(_ text: String) {
    let members = (try? JSONValue.parse(text))?.object
    order = members?["order"]?.text.map(PurchaseCode.init(unchecked:))
    attempts = members?["attempts"]?.integer ?? 0
  }

  var text: String {
    var members = JSONObject()
    members["order"] = order.map { .string($0.text) }
    if attempts > 0 { members["attempts"] = .integer(attempts) }
    return members.isEmpty ? "" : JSONValue.object(members).text()
  }
}
