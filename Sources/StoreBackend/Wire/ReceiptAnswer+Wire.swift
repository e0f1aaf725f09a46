package import GemLedger

extension ReceiptAnswer: WireValue {
  package init(wire: WireObject) throws(LedgerError) {
    self.init(
      booking: try wire.value("booking"), purchase: try wire.value("purchase"), order: try wire.optionalValue("order"),
      held: try wire.optionalValue("held"), entitlement: try wire.optionalValue("entitlement"),
      otherPurchases: try wire.values("other_purchases"), requestID: try wire.text("request_id"))
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
    switch try wire.text("state") {
    case "held": self = .held
    case "released": self = .released
    case "spent": self = .spent(try wire.value("booking"))
    case "unpaid": self = .unpaid(try wire.value("error"))
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
      receipt: StoreReceipt(try wire.text("fetch_token")), customer: try wire.identifier("app_user_id"),
      source: try Self.source(wire), orderSearch: try Self.orderSearch(wire))
  }

  private static func source(_ wire: WireObject) throws(LedgerError) -> Source {
    if try wire.optionalText("source") != nil { return try wire.word("source", Source.init(rawValue:)) }
    return switch try wire.optionalText("initiation_source") {
    case "restore": .restore
    case "queue", "unsynced_active_purchases": .sweep
    case nil: try wire.flag("is_restore") ? .restore : .purchase
    default: .purchase
    }
  }

  private static func orderSearch(_ wire: WireObject) throws(LedgerError) -> OrderSearch {
    guard try wire.optionalText("order_search") != nil else { return .none }
    return try wire.word("order_search", OrderSearch.init(rawValue:))
  }

  package var wire: JSONValue {
    [
      "fetch_token": .string(receipt.text), "app_user_id": .string(customer.text), "source": .string(source.rawValue),
      "order_search": .string(orderSearch.rawValue),
    ]
  }
}
