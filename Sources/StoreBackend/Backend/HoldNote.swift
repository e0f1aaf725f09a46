internal import GemLedger

/// The facts that the next decision about a held purchase needs, in addition to the store's statements.
struct HoldNote: Sendable {
  /// The order that the client named.
  var order: PurchaseCode?

  init(order: PurchaseCode? = nil) { self.order = order }

  /// - Parameter text: The value of ``text``; empty if erased.
  init(_ text: String) {
    let members = (try? JSONValue.parse(text))?.object
    order = members?["order"]?.text.map(PurchaseCode.init(unchecked:))
  }

  var text: String {
    order.map { JSONValue.object(["order": .string($0.text)]).text() } ?? ""
  }
}
