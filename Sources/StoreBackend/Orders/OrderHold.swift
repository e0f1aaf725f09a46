public import GemLedger

/// The state of the virtual currency that an order costs beside its price at the store.
public enum OrderHold: Hashable, Sendable {
  /// It is set aside until the order is paid for or fails.
  case held
  /// The order was paid for, and this took it.
  case spent(Booking)
  /// The order failed, and it is the customer's again.
  case released
  /// The order was paid for after it had failed, and by then the customer had spent the currency.
  ///
  /// The purchase is credited all the same; a later completion takes the currency as soon as the customer has it.
  case unpaid(LedgerError)

  /// Whether nothing is left to do.
  public var isResolved: Bool {
    switch self {
    case .spent, .released: true
    case .held, .unpaid: false
    }
  }
}

/// An order that was found unresolved, and how it stands now.
public struct ResolvedOrder: Sendable {
  /// Its name.
  public let code: PurchaseCode
  /// The state of the currency that it costs; a failure where that could not be determined.
  public let result: Result<OrderHold, LedgerError>

  /// Whether nothing is left to do.
  public var isResolved: Bool {
    guard case .success(let hold) = result else { return false }
    return hold.isResolved
  }
}
