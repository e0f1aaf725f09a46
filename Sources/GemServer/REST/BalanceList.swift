#if Server
internal import GemLedger
internal import SystemHTTP

/// Writes balances as RevenueCat's list, token by token: no other answers are asked for as often.
struct BalanceList {
  /// The available amount of one currency.
  struct Item {
    let currency: CurrencyCode
    let name: String
    let description: String?
    let available: Int64
  }

  var items: [Item]
  /// Where the next page is.
  var nextPage: String?
  /// The customer's list of balances, which all balances are a part of.
  let url: String

  /// - Parameter url: The parts of the path, as they were decoded.
  init(_ items: [Item], at url: some Sequence<String>, nextPage: String? = nil) {
    self.items = items
    self.nextPage = nextPage
    var text = ""
    text.reserveCapacity(128)
    for part in url {
      text += "/"
      text += Percent.encoded(part)
    }
    self.url = text
  }

  var response: HTTPResponse {
    var writer = JSONWriter(style: .compact, capacity: 160 * items.count + 160)
    writer.beginObject()
    writer.name("object")
    writer.plain("list")
    writer.name("items")
    writer.beginList()
    for item in items { Self.write(item, to: &writer) }
    writer.endList()
    writer.name("next_page")
    if let nextPage { writer.text(nextPage) } else { writer.null() }
    writer.text("url", url)
    writer.endObject()
    return HTTPResponse(
      status: 200, headers: [("Content-Type", "application/json")], content: .bytes(writer.bytes))
  }

  private static func write(_ item: Item, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.name("object")
    writer.plain("virtual_currency_balance")
    writer.text("currency_code", item.currency.description)
    writer.integer("balance", item.available)
    writer.text("name", item.name)
    writer.text("description", item.description)
    writer.endObject()
  }

  static let schema = RESTSchemas.list(
    of: RESTSchemas.object(
      "virtual_currency_balance",
      [
        Schema.Field("currency_code", .text(1...10), isRequired: true),
        Schema.Field("balance", .integer(), "The available amount, without what holds set aside.", isRequired: true),
        Schema.Field("name", .text(), "The currency's name for people."),
        Schema.Field("description", .text(), "More about the currency, where there is more."),
      ]))
}

extension BalanceList.Item {
  init(_ balance: Balance, available: Int64) {
    self.init(currency: balance.currency, name: balance.name, description: balance.description, available: available)
  }
}
#endif
