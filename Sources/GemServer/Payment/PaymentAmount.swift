#if Server
internal import GemLedger

/// Real money as two-step SDKs write it: a JSON number in the currency's main unit.
enum PaymentAmount {
  /// The default currency: the one for which those SDKs are made.
  static let currency = "VND"
  static let storefront = "VNM"

  /// Reads an amount; returns nil if there is none.
  ///
  /// - Throws: `invalid_request` for an unknown currency, or for more decimal places than the currency has.
  static func read(_ amount: JSONValue?, currency: JSONValue?) throws(LedgerError) -> Money? {
    let digits: String
    switch amount {
    case .integer(let number): digits = String(number)
    case .number(let text): digits = text
    default: return nil
    }
    guard let currency = PriceCurrency(exactly: currency?.text ?? Self.currency) else {
      throw .parameter("currency", "has to be three capital letters")
    }
    do throws(LedgerError) {
      let price = try Price(digits, in: currency)
      return Money(minorUnits: price.minorUnits, currency: currency.code)
    } catch {
      throw .parameter("amount", "is no amount of \(currency)")
    }
  }

  static func json(_ price: Price?) -> JSONValue {
    guard let price else { return .null }
    return json(Money(minorUnits: price.minorUnits, currency: price.currency.code))
  }

  static func json(_ money: Money?) -> JSONValue {
    guard let money else { return .null }
    let count = PriceCurrency(exactly: money.currency)?.minorUnitDigits ?? 2
    let digits = String(money.minorUnits.magnitude)
    let padded = String(repeating: "0", count: max(0, count + 1 - digits.count)) + digits
    let (whole, fraction) = (padded.dropLast(count), padded.suffix(count))
    guard fraction.contains(where: { $0 != "0" }) else { return .integer(Int64(whole) ?? 0) }
    return .number("\(whole).\(fraction)")
  }
}

extension JSONKind<Money?> {
  static var amount: Self { Self(.nullable(.decimal)) { PaymentAmount.json($0) } }
}
#endif
