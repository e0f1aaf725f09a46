package import GemLedger

/// A receipt's payload, or a part of it.
///
/// Unused members are ignored: stores add some every year.
package typealias ReceiptFields = JSONReader<ReceiptPayload>

/// Problems are `receipt_malformed`, with the check `payload`.
package struct ReceiptPayload: JSONContext, Sendable {
  package func error(_ problem: JSONProblem) -> LedgerError { ReceiptFields.malformed("\(problem)") }
}

extension JSONReader<ReceiptPayload> {
  package init(_ object: JSONObject) { self.init(.object(object), ReceiptPayload()) }

  package init(_ payload: [UInt8]) throws(LedgerError) {
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue.parse(payload)
    } catch {
      throw Self.malformed("a segment is not JSON: \(error)")
    }
    guard let object = value.object else { throw Self.malformed("a segment is \(value.kind) and should be an object") }
    self.init(object)
  }

  package static func malformed(_ what: String) -> LedgerError {
    LedgerError(
      .receiptMalformed, "The receipt cannot be read: \(what). Send the store's receipt unchanged.",
      details: [.text("check", "payload")])
  }

  /// The reader, or nil if the value is missing, null or an empty text, which some members have instead.
  package var nonEmpty: Self? { value?.text?.isEmpty == true ? nil : optional }

  /// A text that the ledger can keep.
  package func shortText() throws(LedgerError) -> String {
    let text = try text()
    guard text.utf8.count <= Limits.storeTransactionIDBytes, !ControlCharacters.occur(in: text), !text.isEmpty else {
      throw refused(expected: "a text", found: "empty, too long or with control characters")
    }
    return text
  }

  /// A short name, such as a bundle id.
  package func name() throws(LedgerError) -> String {
    let text = try shortText()
    guard text.utf8.count <= Limits.catalogIDBytes else { throw refused(expected: "a name", found: "too long") }
    return text
  }

  package func storeTransactionID() throws(LedgerError) -> StoreTransactionID {
    StoreTransactionID(unchecked: try shortText())
  }

  /// Milliseconds since 1970, before the year 10000; drops a fraction, which Xcode's receipts have.
  package func time() throws(LedgerError) -> Timestamp {
    guard case .number(let text)? = value, let number = Double(text) else {
      return Timestamp(milliseconds: try integer(in: 0...Limits.expiryMilliseconds))
    }
    guard (0...Double(Limits.expiryMilliseconds)).contains(number) else {
      throw refused(expected: "a time in milliseconds", found: String(text.prefix(60)))
    }
    return Timestamp(milliseconds: Int64(number))
  }

  /// Milliseconds in a text, as Google Play writes 64-bit numbers.
  package func timeText() throws(LedgerError) -> Timestamp {
    try word(expected: "a time in milliseconds") { text in
      guard let number = Int64(text), (0...Limits.expiryMilliseconds).contains(number), String(number) == text else {
        return nil
      }
      return Timestamp(milliseconds: number)
    }
  }

  package func word<Word>(_ words: [(String, Word)]) throws(LedgerError) -> Word {
    try word { text in words.first { $0.0 == text }?.1 }
  }

  func accountToken() throws(LedgerError) -> AccountToken {
    try word(expected: "a UUID") { AccountToken($0.lowercased()) }
  }

  /// The price in thousandths or millionths of the currency's unit; nil if it is not a whole number of minor units, or
  /// its currency is unknown.
  ///
  /// Stores state the price for information, so a paid purchase is not refused for it.
  func price(_ name: String, currency: String, scale: Int) -> Money? {
    guard let amount = self[name].value?.integer, amount >= 0, let code = self[currency].value?.text else { return nil }
    return Money(scaled: amount, digits: scale, currency: code)
  }
}

extension Money {
  /// Creates money from an amount with `digits` decimal places in any currency; nil if it is not a whole number of
  /// minor units.
  package init?(scaled amount: Int64, digits: Int, currency code: String) {
    guard let currency = PriceCurrency(exactly: code) else { return nil }
    let factor = Self.powerOfTen(digits - currency.minorUnitDigits)
    guard factor > 0, amount % factor == 0 else { return nil }
    self.init(minorUnits: amount / factor, currency: code)
  }

  /// Returns the amount in units of `digits` decimal places; nil if it exceeds 64 bits or is not a whole number.
  func scaled(digits: Int) -> Int64? {
    guard let currency = PriceCurrency(exactly: currency) else { return nil }
    let factor = Self.powerOfTen(digits - currency.minorUnitDigits)
    let (amount, overflow) = minorUnits.multipliedReportingOverflow(by: factor)
    return factor > 0 && !overflow ? amount : nil
  }

  /// Returns 0 for a negative power.
  private static func powerOfTen(_ power: Int) -> Int64 {
    power < 0 ? 0 : (0..<power).reduce(1) { product, _ in product * 10 }
  }
}
