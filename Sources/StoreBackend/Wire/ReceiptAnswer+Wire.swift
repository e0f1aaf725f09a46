package import GemLedger

extension ReceiptAnswer: WireValue {
  package init(wire: WireObject) throws(LedgerError) {
    self.init(
      booking: try wire["booking"].read(), purchase: try wire["purchase"].read(),
      order: try wire["order"].optional?.read(),
      held: try wire["held"].optional?.read(), entitlement: try wire["entitlement"].optional?.read(),
      otherPurchases: try wire["other_purchases"].values(), requestID: try wire["request_id"].text())
  }

  package var wire: JSONValue {
    [
      "booking": booking.wire, "purchase": purchase.wire, "order": order?.wire ?? .null, "held": held?.wire ?? .null,
      "entitlement": entitlement?.wire ?? .null, "other_purchases": .array(otherPurchases.map(\.wire)),
      "request_id": .string(requestID),
    ]
  }
}

extension OrderHold: WireValue {
  package init(wire: WireObject) throws(LedgerError) {
    switch try wire["state"].text() {
    case "held": self = .held
    case "released": self = .released
    case "spent": self = .spent(try wire["booking"].read())
    case "unpaid": self = .unpaid(try wire["error"].read())
    case let state: throw LedgerError(.invalidRequest, "An order's currency has no state \"\(state.prefix(60))\".")
    }
  }

  package var wire: JSONValue {
    switch self {
    case .held: ["state": "held"]
    case .released: ["state": "released"]
    case .spent(let booking): ["state": "spent", "booking": booking.wire]
    case .unpaid(let error): ["state": "unpaid", "error": error.wire]
    }
  }
}

extension ReceiptPost: WireValue {
  /// Reads RevenueCat's members `fetch_token` and `app_user_id`; without `source`, `initiation_source` gives the post's
  /// reason.
  ///
  /// `is_restore` counts only without both: RevenueCat's SDKs set it for every purchase of an anonymous customer.
  package init(wire: WireObject) throws(LedgerError) {
    self.init(
      receipt: StoreReceipt(try wire["fetch_token"].text()), customer: try wire["app_user_id"].identifier(),
      source: try Self.source(wire), orderSearch: try Self.orderSearch(wire))
  }

  private static func source(_ wire: WireObject) throws(LedgerError) -> Source {
    if try wire["source"].optional?.text() != nil { return try wire["source"].word(Source.init(rawValue:)) }
    return switch try wire["initiation_source"].optional?.text() {
    case "restore": .restore
    case "queue", "unsynced_active_purchases": .sweep
    case nil: try wire["is_restore"].flag() ? .restore : .purchase
    default: .purchase
    }
  }

  private static func orderSearch(_ wire: WireObject) throws(LedgerError) -> OrderSearch {
    guard try wire["order_search"].optional?.text() != nil else { return .none }
    return try wire["order_search"].word(OrderSearch.init(rawValue:))
  }

  package var wire: JSONValue {
    [
      "fetch_token": .string(receipt.text), "app_user_id": .string(customer.text), "source": .string(source.rawValue),
      "order_search": .string(orderSearch.rawValue),
    ]
  }
}
