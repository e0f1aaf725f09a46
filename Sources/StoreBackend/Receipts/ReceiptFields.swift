package import GemLedger

/// The members of a receipt's payload, read strictly; each look-up reports its fault.
///
/// Unused members are ignored: stores add some every year.
package struct ReceiptFields {
  package let object: JSONObject

  package init(_ object: JSONObject) { self.object = object }

  package init(_ payload: [UInt8]) throws(LedgerError) {
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue.parse(payload)
    } catch {
      throw Self.malformed("a segment is not JSON: \(error)")
    }
    guard let object = value.object else { throw Self.malformed("a segment is \(value.kind) and should be an object") }
    self.object = object
  }

  package static func malformed(_ what: String) -> LedgerError {
    LedgerError(
      .receiptMalformed, "The receipt cannot be read: \(what). Send the store's receipt unchanged.",
      details: [.text("check", "payload")])
  }

  // MARK: By type

  package func text(_ name: String) throws(LedgerError) -> String {
    guard let text = try optionalText(name) else { throw Self.malformed("\(name) is missing") }
    return text
  }

  package func optionalText(_ name: String) throws(LedgerError) -> String? {
    guard let value = object[name], !value.isNull else { return nil }
    guard let text = value.text else { throw Self.malformed("\(name) is \(value.kind) and should be a text") }
    guard text.utf8.count <= Limits.storeTransactionIDBytes, !ControlCharacters.occur(in: text), !text.isEmpty else {
      throw Self.malformed("\(name) is empty, too long or holds control characters")
    }
    return text
  }

  /// The members of a nested object.
  package func optionalObject(_ name: String) throws(LedgerError) -> Self? {
    guard let value = object[name], !value.isNull else { return nil }
    guard let object = value.object else { throw Self.malformed("\(name) is \(value.kind) and should be an object") }
    return Self(object)
  }

  /// Returns a text; nil for an empty text, which means a missing value in these fields.
  package func optionalNonEmptyText(_ name: String) throws(LedgerError) -> String? {
    object[name]?.text?.isEmpty == true ? nil : try optionalText(name)
  }

  package func integer(_ name: String, in bounds: ClosedRange<Int64>) throws(LedgerError) -> Int64 {
    guard let integer = try optionalInteger(name, in: bounds) else { throw Self.malformed("\(name) is missing") }
    return integer
  }

  package func optionalInteger(_ name: String, in bounds: ClosedRange<Int64>) throws(LedgerError) -> Int64? {
    guard let value = object[name], !value.isNull else { return nil }
    guard let integer = value.integer else {
      throw Self.malformed("\(name) is \(value.kind) and should be a whole number")
    }
    guard bounds.contains(integer) else {
      throw Self.malformed("\(name) is \(integer), out of \(bounds.lowerBound) to \(bounds.upperBound)")
    }
    return integer
  }

  package func instant(_ name: String) throws(LedgerError) -> Timestamp {
    guard let instant = try optionalInstant(name) else { throw Self.malformed("\(name) is missing") }
    return instant
  }

  /// Returns milliseconds since 1970, before the year 10000; drops a fraction, which Xcode's receipts have.
  package func optionalInstant(_ name: String) throws(LedgerError) -> Timestamp? {
    if case .number(let text)? = object[name], let number = Double(text) {
      guard (0...Double(Limits.expiryMilliseconds)).contains(number) else {
        throw Self.malformed("\(name) is \(text.prefix(60)), which is no time in milliseconds")
      }
      return Timestamp(milliseconds: Int64(number))
    }
    return try optionalInteger(name, in: 0...Limits.expiryMilliseconds).map(Timestamp.init(milliseconds:))
  }

  /// Returns milliseconds from a text, as Google Play writes 64-bit numbers.
  package func optionalInstantText(_ name: String) throws(LedgerError) -> Timestamp? {
    guard let text = try optionalText(name) else { return nil }
    guard let number = Int64(text), (0...Limits.expiryMilliseconds).contains(number), String(number) == text else {
      throw Self.malformed("\(name) is no time in milliseconds")
    }
    return Timestamp(milliseconds: number)
  }

  package func word<Word>(_ name: String, _ words: [(String, Word)]) throws(LedgerError) -> Word {
    let text = try text(name)
    guard let word = words.first(where: { $0.0 == text })?.1 else {
      throw Self.malformed("\(name) is \"\(text.prefix(60))\", which is not known")
    }
    return word
  }

  // MARK: By meaning

  package func transactionID(_ name: String) throws(LedgerError) -> StoreTransactionID {
    StoreTransactionID(unchecked: try text(name))
  }

  func accountToken(_ name: String) throws(LedgerError) -> AccountToken? {
    guard let text = try optionalNonEmptyText(name) else { return nil }
    guard let token = AccountToken(text.lowercased()) else { throw Self.malformed("\(name) is no UUID") }
    return token
  }

  /// A short name, such as a bundle id.
  package func name(_ name: String) throws(LedgerError) -> String {
    let text = try text(name)
    guard text.utf8.count <= Limits.catalogIDBytes else { throw Self.malformed("\(name) is too long") }
    return text
  }

  /// Returns the price in thousandths or millionths of the currency's unit; nil if it is not a whole number of minor
  /// units, or its currency is unknown.
  ///
  /// Stores state the price for information, so a paid purchase is not refused for it.
  func price(_ name: String, currency: String, scale: Int) -> Money? {
    guard let amount = object[name]?.integer, amount >= 0, let code = object[currency]?.text else { return nil }
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
