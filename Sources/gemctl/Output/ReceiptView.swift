import GemLedger

/// What was booked, as JSON and as text.
struct ReceiptView {
  let receipt: Receipt
  let isDryRun: Bool

  init(_ receipt: Receipt, isDryRun: Bool = false) {
    self.receipt = receipt
    self.isDryRun = isDryRun
  }

  /// The signed changes by code; what expired at the same moment was not asked for and is left out.
  var changes: JSONValue {
    .object(JSONObject(asked.map { ($0.currency.description, .integer($0.amount)) }))
  }

  /// The balances afterwards by code.
  var balances: JSONValue {
    // The last entry of a currency has the balance after all of them.
    let last = Dictionary(receipt.entries.map { ($0.currency, $0.balance) }) { _, last in last }
    return .object(
      JSONObject(last.sorted { $0.key < $1.key }.map { ($0.key.description, .integer($0.value)) }))
  }

  var transactionID: JSONValue { JSONValue(receipt.transactionID?.description) }

  /// The items that came or went.
  var items: JSONValue {
    .array(
      receipt.items.map {
        ["item_id": .string($0.item.text), "quantity": .integer($0.quantity), "owned": .integer($0.owned)]
      })
  }

  /// The document of a command that changes balances.
  var json: JSONValue {
    var object: JSONObject = [
      "transaction_id": transactionID, "customer_id": .string(receipt.customer.text), "adjustments": changes,
      "balances": balances, "replayed": .bool(receipt.isReplayed), "items": items,
    ]
    if isDryRun { object["dry_run"] = true }
    return .object(object)
  }

  private var asked: [PostedEntry] { receipt.entries.filter { $0.kind != .expiry } }
}

// MARK: For people

extension ReceiptView {
  /// What happened to balances and items, then the names to ask for it by, then how it came about.
  func text(style: Style, names: [(String, String)] = []) -> String {
    var text = receipt.entries.isEmpty ? "" : entriesTable.text(style: style)
    for item in receipt.items {
      let name = SafeText.escaped(item.item.text)
      text += "\(name) \(AmountText.signed(item.quantity)), \(AmountText.grouped(item.owned)) owned\n"
    }
    var names = names
    if let id = receipt.transactionID { names.append(("transaction", id.description)) }
    names.append(("customer", receipt.customer.text))
    let width = names.map(\.0.count).max() ?? 0
    for (label, name) in names {
      let padding = String(repeating: " ", count: width - label.count)
      text += style.dim("\(label)\(padding)  ") + SafeText.escaped(name) + "\n"
    }
    return text + notes(style: style)
  }

  private var entriesTable: Table {
    var table = Table([.left("CURRENCY"), .right("CHANGE"), .right("BALANCE"), .left("WHY")])
    for entry in receipt.entries {
      table.add([
        entry.currency.description, AmountText.signed(entry.amount), AmountText.grouped(entry.balance),
        entry.kind.name,
      ])
    }
    return table
  }

  private func notes(style: Style) -> String {
    var notes = ""
    if receipt.isReplayed {
      notes += style.bold("replayed") + ": it was done before; nothing was booked now\n"
    } else if isDryRun {
      notes += style.bold("dry run") + ": nothing was booked\n"
    }
    if receipt.isOverMaximum { notes += "The balance is above the currency's maximum now.\n" }
    return notes
  }
}
