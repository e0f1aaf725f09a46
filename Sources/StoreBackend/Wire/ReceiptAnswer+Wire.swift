package import GemLedger

extension ReceiptAnswer: WireValue {
  package init(wire: WireObject) throws(LedgerError) {
    self.init(
      booking: try wire["booking"].read(), purchase: try wire["purchase"].read(),
      order: try wire["order"].optional?.read(),
      held: try wire["held"].optional?.read(), entitlement: try wire["entitlement"].optional?.read(),
      otherPurchases: try wire["other_purchases"].values(), requestID: try wire["request_id"].text())
  }

  package static let form = JSONForm<ReceiptAnswer>([
    .always("booking", \.booking, .value), .always("purchase", \.purchase, .value),
    .always("order", \.order, .nullable(.value)),
    .always(
      "held", \.held, .nullable(.value), "The order's price in virtual currency, in addition to its price in money."),
    .always("entitlement", \.entitlement, .nullable(.value)),
    .always(
      "other_purchases", \.otherPurchases, .list(.value), "The other products of the same payment, each credited too."),
    .always("request_id", \.requestID, .text()),
  ])
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

  package static let form = JSONForm<OrderHold>([
    .always("state", \.state, .word(["held", "released", "spent", "unpaid"])),
    .sometimes("booking", \.booking, .value), .sometimes("error", \.refusal, .value),
  ])
}

extension OrderHold {
  private var state: String {
    switch self {
    case .held: "held"
    case .released: "released"
    case .spent: "spent"
    case .unpaid: "unpaid"
    }
  }

  private var booking: Booking? { if case .spent(let booking) = self { booking } else { nil } }

  private var refusal: LedgerError? { if case .unpaid(let error) = self { error } else { nil } }
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

  package static let form = JSONForm<ReceiptPost>([
    .always("fetch_token", \.receipt.text, .text()), .always("app_user_id", \.customer, .identifier()),
    .always("source", \.source.rawValue, .text()), .always("order_search", \.orderSearch.rawValue, .text()),
  ])
}
