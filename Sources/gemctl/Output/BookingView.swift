import GemLedger
import LedgerCharts

/// A booking, as JSON and as text.
struct BookingView {
  let booking: Booking
  let isDryRun: Bool
  /// Whether several customers may have taken part; then everything goes by customer and code.
  let isBasket: Bool

  init(_ booking: Booking, isDryRun: Bool = false, isBasket: Bool = false) {
    self.booking = booking
    self.isDryRun = isDryRun
    self.isBasket = isBasket
  }

  /// The signed changes by code; an expiry at the same moment is not part of the command and is omitted.
  var changes: JSONValue { isBasket ? byCustomer(Self.changes) : Self.changes(asked) }

  /// The balances afterwards by code.
  var balances: JSONValue {
    if isBasket { return byCustomer(Self.balances) }
    var balances = Self.lastBalances(booking.entries)
    // The currency that a release gave back has no entries.
    for balance in booking.hold?.balances ?? [] where balances[balance.currency] == nil {
      balances[balance.currency] = balance.amount
    }
    return Self.json(balances)
  }

  var transactionID: JSONValue { JSONValue(booking.transactionID?.description) }

  /// The items that were added or removed.
  var items: JSONValue { booking.items.wire }

  /// The document of a command that changes balances.
  var json: JSONValue {
    var object: JSONObject = [
      "transaction_id": transactionID, "customer_id": .string(booking.customer.text), "adjustments": changes,
      "balances": balances, "replayed": .bool(booking.isReplayed), "items": items,
    ]
    object.members += extras.members
    if isDryRun { object["dry_run"] = true }
    return .object(object)
  }

  /// The members of only some commands.
  private var extras: JSONObject {
    var object = JSONObject()
    switch booking.kind {
    case .reversal: object["reversed"] = JSONValue(booking.reversed?.description)
    case .capture, .release:
      object["available"] = JSONValue(amounts: booking.hold?.available ?? [])
      object["hold"] = booking.hold.map { HoldView.json($0) } ?? .null
    default:
      if isBasket { object["parties"] = .array(booking.parties.map(json)) }
      return object
    }
    object["expired"] = JSONValue(amounts: booking.expired)
    object["reclaimed"] = JSONValue(amounts: booking.reclaimed)
    return object
  }

  private func json(_ party: BookingParty) -> JSONValue {
    // A dry run has no transaction that can be asked for.
    let id = party.transactionID?.description
    return [
      "customer_id": .string(party.customer.text), "transaction_id": JSONValue(id),
      "adjustments": Self.changes(Array(party.entries)), "balances": Self.balances(Array(party.entries)),
      "items": party.items.wire,
    ]
  }

  /// The entries of the command itself, without expiries and without currency taken by a refund.
  private var asked: [PostedEntry] {
    switch booking.kind {
    case .reversal, .capture, .release: booking.entries.filter { $0.kind != .expiry && $0.kind != .refund }
    default: booking.entries.filter { $0.kind != .expiry }
    }
  }

  private func byCustomer(_ json: ([PostedEntry]) -> JSONValue) -> JSONValue {
    let parties = booking.parties.map { ($0.customer.text, json(Array($0.entries))) }
    return .object(JSONObject([(booking.customer.text, json(Array(booking.entries)))] + parties))
  }

  private static func changes(_ entries: [PostedEntry]) -> JSONValue {
    let asked = entries.filter { $0.kind != .expiry }
    return .object(JSONObject(asked.map { ($0.currency.description, .integer($0.amount)) }))
  }

  private static func balances(_ entries: [PostedEntry]) -> JSONValue { json(lastBalances(entries)) }

  /// The last entry of a currency has the balance after all of them.
  private static func lastBalances(_ entries: some Sequence<PostedEntry>) -> [CurrencyCode: Int64] {
    Dictionary(entries.map { ($0.currency, $0.balance) }) { _, last in last }
  }

  private static func json(_ balances: [CurrencyCode: Int64]) -> JSONValue {
    .object(JSONObject(balances.sorted { $0.key < $1.key }.map { ($0.key.description, .integer($0.value)) }))
  }
}

// MARK: For people

extension BookingView {
  /// The changes of balances and items, then the ids, then the outcome.
  func text(style: Style, names: [(String, String)] = []) -> String {
    var text = table?.text(style: style) ?? ""
    for item in booking.items { text += Self.text(item, of: isBasket ? booking.customer : nil) }
    for party in booking.parties { for item in party.items { text += Self.text(item, of: party.customer) } }
    var names = names
    if let id = booking.hold?.id { names.append(("hold", id.description)) }
    if let id = booking.transactionID { names.append(("transaction", id.description)) }
    if let id = booking.reversed { names.append(("undoes", id.description)) }
    names.append(("customer", booking.customer.text))
    return text + NamesText.lines(names, style: style) + outcome(style: style)
  }

  private var table: Table? {
    if isBasket { return partiesTable }
    if booking.entries.isEmpty { return booking.hold.map(HoldView.balances) }
    return booking.hold == nil ? entriesTable : heldTable
  }

  private var entriesTable: Table {
    booking.entries.table(Self.fields + [.text("WHY", \.kind.name)])
  }

  /// The table with the available balance, on the last row of each currency.
  private var heldTable: Table {
    booking.entries.enumerated().table([
      .left("CURRENCY", \.element.currency.description), .change("CHANGE", \.element.amount),
      .amount("BALANCE", \.element.balance), .amount("AVAILABLE") { available(after: $0.offset) },
      .text("WHY", \.element.kind.name),
    ])
  }

  private func available(after index: Int) -> Int64? {
    let code = booking.entries[index].currency
    let isLast = !booking.entries.dropFirst(index + 1).contains { $0.currency == code }
    return isLast ? booking.hold?.available.first { $0.currency == code }?.amount : nil
  }

  private var partiesTable: Table? {
    let parties =
      [(booking.customer, Array(booking.entries))] + booking.parties.map { ($0.customer, Array($0.entries)) }
    let table = parties.flatMap { customer, entries in entries.map { (customer, $0) } }.table([
      .id("CUSTOMER", \.0.text), .left("CURRENCY", \.1.currency.description), .change("CHANGE", \.1.amount),
      .amount("BALANCE", \.1.balance), .text("WHY", \.1.kind.name),
    ])
    return table.isEmpty ? nil : table
  }

  private static var fields: [Field<PostedEntry>] {
    [.left("CURRENCY", \.currency.description), .change("CHANGE", \.amount), .amount("BALANCE", \.balance)]
  }

  private static func text(_ item: PostedItem, of customer: CustomerID?) -> String {
    let whose = customer.map { "\(SafeText.escaped($0.text)): " } ?? ""
    let name = SafeText.escaped(item.item.text)
    return "\(whose)\(name) \(AmountText.signed(item.quantity)), \(AmountText.grouped(item.owned)) owned\n"
  }

  /// The outcome, with further notes about it.
  func outcome(style: Style) -> String {
    var notes = ""
    if !booking.expired.isEmpty {
      notes += "\(HoldView.text(booking.expired)) expired before the return and are lost\n"
    }
    if !booking.reclaimed.isEmpty {
      notes += "\(HoldView.text(booking.reclaimed)) taken by the refund of the purchase\n"
    }
    if let hold = booking.hold, booking.kind == .capture || booking.kind == .release {
      let left = hold.expiresAt.map { "\(HoldView.text(hold.amounts)) left on hold until \($0)" }
      notes += "\(left ?? "the hold has ended")\n"
    }
    if booking.isReplayed {
      notes += style.bold("replayed") + ": it was booked before; nothing was booked now\n"
    } else if isDryRun {
      notes += style.bold("dry run") + ": nothing was booked\n"
    }
    if booking.isOverMaximum { notes += "The balance is above the currency's maximum now.\n" }
    return notes
  }
}
