internal import GemLedger

/// Reads RevenueCat's balances in any format of its APIs.
struct RevenueCatBalances {
  struct Balance {
    let line: Int64
    let customer: String
    let currency: String
    let amount: Int64
  }

  static func read(
    _ lines: BalanceLines, _ problems: inout ImportProblems, _ progress: BalanceLines.Progress
  ) -> [Balance] {
    var balances: [Balance] = []
    guard lines.areJSON else {
      lines.readRows(
        required: [
          ["app_user_id", "customer_id"], ["currency_code", "currency", "code"], ["balance", "amount"],
        ], optional: [], ignored: ["project_id", "name", "description"], &problems, progress: progress
      ) { row throws(LineFault) in
        balances.append(
          Balance(
            line: row.line, customer: try row.text("app_user_id"), currency: try row.text("currency_code"),
            amount: try BalanceImport.amount(try row.text("balance"))))
      }
      return balances
    }
    var pages = Pages()
    lines.readJSON(&problems, progress: progress) { (line, number) throws(LineFault) in
      balances += try read(line, number, &pages)
    }
    for (line, next) in pages.open.values.sorted(by: { $0.line < $1.line }) { problems.add(line, Pages.message(next)) }
    return balances
  }

  /// API version 2 returns pages; each page except the last names the next one.
  private struct Pages {
    /// The newest page of each customer with a missing next page.
    private(set) var open: [ByteString: (line: Int64, next: String)] = [:]

    /// - Throws: If this is not the expected next page.
    mutating func note(_ value: JSONValue, of customer: String, _ line: Int64) throws(LineFault) {
      let url = value["url"]?.text
      if let (line, next) = open.removeValue(forKey: ByteString(customer)), let url, url.contains("?"), url != next {
        throw LineFault("This is the page \"\(url.prefix(200))\". Line \(line): \(Self.message(next))")
      }
      guard let next = value["next_page"] else { return }
      if case .null = next { return }
      guard let text = next.text else { throw LineFault("\"next_page\" is neither null nor a string.") }
      open[ByteString(customer)] = (line, text)
    }

    static func message(_ next: String) -> String {
      "\"next_page\" is \"\(next.prefix(200))\": the customer has more balances. Add the response for that page "
        + "after this line."
    }
  }

  private static func read(
    _ line: ArraySlice<UInt8>, _ number: Int64, _ pages: inout Pages
  ) throws(LineFault) -> [Balance] {
    let value: JSONValue
    do throws(JSONError) { value = try JSONValue.parse(Array(line)) } catch { throw LineFault(error.message) }
    guard let customer = value["app_user_id"]?.text ?? value["customer_id"]?.text ?? customer(of: value["url"]?.text)
    else {
      throw LineFault("The line names no customer: \"app_user_id\", \"customer_id\", or the \"url\" of the response.")
    }
    var found: [(String, JSONValue?)] = []
    if let items = value["items"]?.array {
      // The response of API version 2.
      try pages.note(value, of: customer, number)
      for item in items {
        guard let code = item["currency_code"]?.text else { throw LineFault("An item has no \"currency_code\".") }
        found.append((code, item["balance"]))
      }
    } else if let currencies = value["virtual_currencies"]?.object {
      // The response of API version 1, and the format that its SDKs store.
      for (code, currency) in currencies.members { found.append((code, currency["balance"])) }
    } else {
      throw LineFault("The line has neither \"items\" nor \"virtual_currencies\".")
    }
    var balances: [Balance] = []
    for (code, amount) in found {
      guard let amount = amount?.integer, amount >= 0, amount <= Limits.amount else {
        throw LineFault("The balance of \"\(code.prefix(40))\" is not a whole number from 0 to \(Limits.amount).")
      }
      balances.append(Balance(line: number, customer: customer, currency: code, amount: amount))
    }
    return balances
  }

  /// Returns the customer in the URL of a response: `…/customers/ID/virtual_currencies`.
  private static func customer(of url: String?) -> String? {
    guard let parts = url?.split(separator: "/"), let index = parts.lastIndex(of: "customers"),
      index + 1 < parts.count
    else { return nil }
    return unescaped(parts[index + 1])
  }

  private static func unescaped(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let digits = String(rest.prefix(2)), digits.utf8.count == 2, let code = UInt8(digits, radix: 16) else {
        return nil
      }
      bytes.append(code)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
