internal import GemLedger

/// A page of orders.
public struct OrdersPage: Hashable, Sendable {
  /// The orders.
  public let orders: [Order]
  /// The start of the next page; nil on the last page.
  public let next: Cursor?

  /// The start of the next page of a report.
  public struct Cursor: Hashable, Sendable, CustomStringConvertible {
    let position: OrderPosition

    init(_ position: OrderPosition) { self.position = position }

    /// Reads the text of ``description``; nil for any other text.
    public init?(_ text: String) {
      let parts = text.split(separator: "-", omittingEmptySubsequences: false)
      guard parts.count == 2, let dueAt = Int64(parts[0]), let number = Int64(parts[1]) else { return nil }
      position = OrderPosition(dueAt: dueAt, number: number)
    }

    /// The cursor as text, to send back.
    public var description: String { "\(position.dueAt)-\(position.number)" }
  }
}
