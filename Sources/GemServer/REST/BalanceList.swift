#if Server
internal import GemLedger
internal import SystemHTTP

/// Writes balances in the form of RevenueCat's list, token by token, since no other answer is as frequent.
struct BalanceList {
  /// The available amount of one currency.
  struct Item {
    let currency: CurrencyCode
    let name: String
    let description: String?
    let available: Int64
  }

  var items: [Item]
  /// The path of the next page.
  var nextPage: String?
  /// The path of the customer's list of balances, which is part of every balance.
  let url: String

  /// - Parameter url: The decoded parts of the path.
  init(_ items: [Item], at url: some Sequence<String>, nextPage: String? = nil) {
    self.items = items
    self.nextPage = nextPage
    var text: [UInt8] = []
    text.reserveCapacity(128)
    for part in url {
      text.append(UInt8(ascii: "/"))
      text += Percent.encoded(part).utf8
    }
    self.url = String(decoding: text, as: UTF8.self)
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

  static let schema = Schema.page(
    of: RESTSchemas.object(
      "virtual_currency_balance",
      [
        Schema.Field("currency_code", .text(1...10), isRequired: true),
        Schema.Field("balance", .integer(), "The available amount, without held amounts.", isRequired: true),
        Schema.Field("name", .text(), "The currency's display name."),
        Schema.Field("description", .text(), "The currency's description, if it has one."),
      ]))
}

extension BalanceList.Item {
  init(_ balance: Balance, available: Int64) {
    self.init(currency: balance.currency, name: balance.name, description: balance.description, available: available)
  }
}
#endif
