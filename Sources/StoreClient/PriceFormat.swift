public import GemLedger

#if canImport(FoundationInternationalization)
internal import FoundationEssentials
internal import FoundationInternationalization
#else
internal import Foundation
#endif

/// Formats prices for a locale: `$9.99`, `¥1,500`, `9,99 €`, `249.000 ₫`.
///
/// Signs and spaces are from the platform's tables and may differ between platforms; the digits are always equal.
public struct PriceFormat: Sendable {
  private let locale: Locale

  /// Creates the format of a locale, such as `en_US`; a plain format for an unknown locale.
  public init(locale: String) { self.locale = Locale(identifier: locale) }

  /// Returns the price with the sign of its currency.
  public func text(_ price: Price) -> String { text(price.minorUnits, in: price.currency) }

  /// Returns the amount with the sign of its currency.
  public func text(_ money: Money) -> String {
    guard let currency = PriceCurrency(exactly: money.currency) else { return "\(money.currency) \(money.minorUnits)" }
    return text(money.minorUnits, in: currency)
  }

  private func text(_ minorUnits: Int64, in currency: PriceCurrency) -> String {
    // Computed in whole numbers: prices never pass through binary floating point or a lenient parser. The number of
    // digits is from this package's table, because platforms disagree about it.
    let digits = currency.minorUnitDigits
    let sign: FloatingPointSign = minorUnits < 0 ? .minus : .plus
    let amount = Decimal(sign: sign, exponent: -digits, significand: Decimal(minorUnits.magnitude))
    let style = Decimal.FormatStyle.Currency(code: currency.code, locale: locale)
    return amount.formatted(style.precision(.fractionLength(digits)))
  }
}
