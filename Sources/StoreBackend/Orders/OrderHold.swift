public import GemLedger

/// The state of the virtual currency that an order costs in addition to its price at the store.
public enum OrderHold: Hashable, Sendable {
  /// It is held until the order is paid for or fails.
  case held
  /// The order was paid for, and the currency was spent.
  case spent(Booking)
  /// The order failed, and the customer has the currency again.
  case released
  /// The order was paid for after it had failed, and the customer had spent the released currency by then.
  ///
  /// The purchase is credited; a later completion takes the currency as soon as the customer has it.
  case unpaid(LedgerError)

  /// Whether no step remains.
  public var isResolved: Bool {
    switch self {
    case .spent, .released: true
    case .held, .unpaid: false
    }
  }
}

/// An order that was found unresolved, and its current state.
public struct ResolvedOrder: Sendable {
  /// The order's code.
  public let code: PurchaseCode
  /// The state of the currency that it costs; a failure if the state is unknown.
  public let result: Result<OrderHold, LedgerError>

  /// Whether no step remains.
  public var isResolved: Bool {
    guard case .success(let hold) = result else { return false }
    return hold.isResolved
  }
}
