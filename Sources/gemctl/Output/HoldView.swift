import GemLedger
import LedgerCharts

/// The current state of a hold, as JSON and as text.
struct HoldView {
  private let booking: Booking
  private let isDryRun: Bool

  /// The answer of `hold` or `extend`.
  init(_ booking: Booking, isDryRun: Bool) {
    self.booking = booking
    self.isDryRun = isDryRun
  }

  /// The document of `hold`; that of `extend` has no balances, since none changes, and a second transaction id.
  var json: JSONValue {
    guard let hold = booking.hold else { return .null }
    var object: JSONObject = [
      "hold_id": JSONValue(hold.id?.description), "customer_id": .string(booking.customer.text),
      "amounts": JSONValue(amounts: hold.amounts),
    ]
    if booking.kind == .hold {
      object["balances"] = JSONValue(amounts: hold.balances)
      object["available"] = JSONValue(amounts: hold.available)
    }
    object["expires_at"] = JSONValue(hold.expiresAt?.description)
    object["replayed"] = .bool(booking.isReplayed)
    if booking.kind != .hold { object["transaction_id"] = JSONValue(booking.transactionID?.description) }
    if isDryRun { object["dry_run"] = true }
    return .object(object)
  }

  /// The hold's object in other documents.
  static func json(_ hold: HoldBooking) -> JSONValue {
    [
      "hold_id": JSONValue(hold.id?.description), "amounts": JSONValue(amounts: hold.amounts),
      "expires_at": JSONValue(hold.expiresAt?.description),
    ]
  }

  static func json(_ hold: OpenHold) -> JSONValue {
    [
      "hold_id": .string(hold.id.description), "amounts": JSONValue(amounts: hold.amounts),
      "created_at": .string(hold.createdAt.description), "expires_at": .string(hold.expiresAt.description),
    ]
  }

}

// MARK: For people

extension HoldView {
  func text(style: Style) -> String {
    guard let hold = booking.hold else { return "" }
    let amounts = Self.text(hold.amounts)
    let end = hold.expiresAt?.description ?? "now"
    var text = style.bold(booking.kind == .hold ? "Holds \(amounts) until \(end)" : "Holds \(amounts) on until \(end)")
    text += "\n"
    if !hold.balances.isEmpty { text += "\n" + Self.balances(of: hold).text(style: style) }
    var names: [(String, String)] = []
    if let id = hold.id { names.append(("hold", id.description)) }
    if booking.kind != .hold, let id = booking.transactionID { names.append(("transaction", id.description)) }
    names.append(("customer", booking.customer.text))
    text += NamesText.lines(names, style: style)
    return text + BookingView(booking, isDryRun: isDryRun).outcome(style: style)
  }

  /// The balances, and how much of them is free.
  static func balances(of hold: HoldBooking) -> Table {
    zip(hold.balances, hold.available).table([
      .left("CURRENCY", \.0.currency.description), .amount("BALANCE", \.0.amount), .amount("AVAILABLE", \.1.amount),
    ])
  }

  static func table(_ holds: [OpenHold], style: Style) -> String {
    holds.table([
      .id("HOLD", \.id.description), .left("AMOUNTS") { text($0.amounts) }, .time("SINCE", \.createdAt),
      .time("UNTIL", \.expiresAt),
    ]).text(style: style, none: "There are no open holds.")
  }

  /// Such as `50 GEM, 3 COIN`.
  static func text(_ amounts: [CurrencyAmount]) -> String {
    amounts.map { "\(AmountText.grouped($0.amount)) \($0.currency)" }.joined(separator: ", ")
  }
}

/// The lines of ids under an answer.
enum NamesText {
  static func lines(_ names: [(String, String)], style: Style) -> String {
    let width = names.map(\.0.count).max() ?? 0
    return names.map { label, name in
      let padding = String(repeating: " ", count: width - label.count)
      return style.dim("\(label)\(padding)  ") + SafeText.escaped(name) + "\n"
    }.joined()
  }
}
