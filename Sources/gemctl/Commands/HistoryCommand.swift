import GemLedger
import LedgerCharts

/// `history`: a customer's transactions, newest first, a page at a time.
struct HistoryCommand {
  let invocation: Invocation

  func run() throws {
    let customer = try invocation.recoveredCustomer()
    let limit = try invocation.limit()
    let page = try invocation.withLedger { (ledger) throws(LedgerError) in
      try ledger.history(of: customer, limit: limit, after: invocation.cursor)
    }
    let transactions = page.transactions.map { record -> JSONValue in
      var object = Self.object(record)
      object["purchase"] = record.purchase.map(FeedCommand.json)
      return .object(object)
    }
    let json: JSONValue = [
      "customer_id": .string(customer.text), "transactions": .array(transactions),
      "next": JSONValue(page.next?.description),
    ]
    try invocation.print(json) { style in
      page.transactions.rows(\.booking.entries).table([
        .time("TIME", \.first?.booking.createdAt), .left("KIND", \.first?.booking.kind.name),
        .change("CHANGE", \.part?.amount), .amount("BALANCE", \.part?.balance),
        .left("CURRENCY", \.part?.currency.description),
        .id("TRANSACTION", \.first?.booking.transactionID?.description), .text("ABOUT") { $0.first.map(Self.about) },
      ]).text(style: style, none: "There are no transactions.") + NextPage.text(page.next, style: style)
    }
  }

  /// A transaction as the feed shows it too.
  static func object(_ record: HistoryRecord) -> JSONObject {
    let booking = record.booking
    var object: JSONObject = [
      "transaction_id": JSONValue(booking.transactionID?.description), "kind": .string(booking.kind.name),
      "created_at": .string(booking.createdAt.description), "entries": entries(booking),
      "reference": JSONValue(record.reference?.text), "reason": JSONValue(record.reason?.text),
      "actor": JSONValue(record.actor?.text), "items": BookingView(booking).items,
    ]
    if let hold = booking.hold { object["hold"] = HoldView.json(hold) }
    if let id = booking.reversed { object["reversed"] = .string(id.description) }
    if !booking.expired.isEmpty { object["expired"] = JSONValue(amounts: booking.expired) }
    if !booking.reclaimed.isEmpty { object["reclaimed"] = JSONValue(amounts: booking.reclaimed) }
    if !booking.parties.isEmpty {
      object["parties"] = .array(booking.parties) {
        ["customer_id": .string($0.customer.text), "transaction_id": JSONValue($0.transactionID?.description)]
      }
    }
    return object
  }

  static func entries(_ booking: Booking) -> JSONValue {
    .array(booking.entries) {
      [
        "currency": .string($0.currency.description), "amount": .integer($0.amount), "balance": .integer($0.balance),
        "kind": .string($0.kind.name),
      ]
    }
  }

  static func about(_ record: HistoryRecord) -> String {
    let items = record.booking.items.map { "\(AmountText.signed($0.quantity)) \($0.item)" }
    var notes = items + extras(record.booking)
    if let purchase = record.purchase, record.booking.kind != .purchase {
      let share = RefundedShare.text(milliPercent: purchase.refundedMilliPercent)
      notes.append("\(purchase.product) refunded \(share)")
    }
    return (notes + [record.reference?.text, record.reason?.text].compactMap { $0 }).joined(separator: "; ")
  }

  /// The additional texts of holds, reversals and baskets.
  private static func extras(_ booking: Booking) -> [String] {
    var notes: [String] = []
    if let hold = booking.hold, let end = hold.expiresAt {
      notes.append("\(HoldView.text(hold.amounts)) on hold until \(end)")
    }
    if let id = booking.hold?.id, booking.kind != .hold { notes.append("hold \(id)") }
    if let id = booking.reversed { notes.append("undoes \(id)") }
    if !booking.expired.isEmpty { notes.append("\(HoldView.text(booking.expired)) too late") }
    if !booking.reclaimed.isEmpty { notes.append("\(HoldView.text(booking.reclaimed)) to a refund") }
    if !booking.parties.isEmpty { notes.append("with \(booking.parties.map(\.customer.text).joined(separator: ", "))") }
    return notes
  }
}

/// The line under a page that is not the last.
enum NextPage {
  static func text(_ cursor: (some CustomStringConvertible)?, style: Style) -> String {
    cursor.map { style.dim("There is more: --after \($0)") + "\n" } ?? ""
  }
}
