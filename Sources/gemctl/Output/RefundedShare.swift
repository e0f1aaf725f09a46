import GemLedger
import StoreBackend

/// How much of a purchase the store gave back, of all so far or by the last refund, as the store counts it.
enum RefundedShare {
  /// Returns the share to print after the word "refunded"; empty for a full refund.
  static func text(_ extent: StoreTransaction.Revocation.Extent, of quantity: Int64) -> String {
    switch extent {
    case .full: ""
    case .milliPercent(let share): " \(percent(share)) %"
    case .quantity(let units), .totalQuantity(let units): " \(units) of \(quantity)"
    }
  }

  /// A share such as `33.333 %`.
  static func text(milliPercent share: Int64) -> String { "\(percent(share)) %" }

  /// Thousandths of a percent without the zeros at the end.
  private static func percent(_ share: Int64) -> String {
    var text = Cell.share(share).plain
    while text.last == "0" { text.removeLast() }
    if text.last == "." { text.removeLast() }
    return text
  }

  static func json(_ extent: StoreTransaction.Revocation.Extent) -> JSONValue {
    switch extent {
    case .full: ["milli_percent": .integer(100_000)]
    case .milliPercent(let share): ["milli_percent": .integer(share)]
    case .quantity(let units), .totalQuantity(let units): ["units": .integer(units)]
    }
  }
}
