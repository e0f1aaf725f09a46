public import GemLedger

#if canImport(FoundationInternationalization)
internal import FoundationEssentials
internal import FoundationInternationalization
#else
internal import Foundation
#endif

/// Writes prices as people of a locale do: `$9.99`, `¥1,500`, `9,99 €`, `249.000 ₫`.
///
/// Signs and spaces come from the platform's tables and may differ between platforms; the digits never do.
public struct PriceFormat: Sendable {
  private let locale: Locale

  /// The format of a locale, such as `en_US`; where there is no such locale, a plain one.
  public init(locale: String) { self.locale = Locale(identifier: locale) }

  /// The price with the sign of its currency.
  public func text(_ price: Price) -> String { text(price.minorUnits, in: price.currency) }

  /// The amount with the sign of its currency.
  public func text(_ money: Money) -> String {
    guard let currency = PriceCurrency(exactly: money.currency) else { return "\(money.currency) \(money.minorUnits)" }
    return text(money.minorUnits, in: currency)
  }

  private func text(_ minorUnits: Int64, in currency: PriceCurrency) -> String {
    // Out of whole numbers: a price never goes through binary floating point, nor through a lenient parser. The count
    // of digits is from our own table: platforms disagree about it.
    let digits = currency.minorUnitDigits
    let sign: FloatingPointSign = minorUnits < 0 ? .minus : .plus
    let amount = Decimal(sign: sign, exponent: -digits, significand: Decimal(minorUnits.magnitude))
    let style = Decimal.FormatStyle.Currency(code: currency.code, locale: locale)
    return amount.formatted(style.precision(.fractionLength(digits)))
  }
}
