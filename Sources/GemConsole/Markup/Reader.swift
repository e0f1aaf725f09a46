#if Server
internal import GemLedger
internal import LedgerCharts

#if canImport(FoundationInternationalization)
internal import FoundationEssentials
internal import FoundationInternationalization
#else
internal import Foundation
#endif

/// The person in front of the page: amounts and times are written for the locale and the time zone.
///
/// The exact value is the title, and copying gives it.
struct Reader: Sendable {
  let locale: Locale
  let zone: TimeZone
  let now: Timestamp

  /// - Parameter languages: The field `Accept-Language`; English without it.
  init(languages: String?, zone: TimeZone?, now: Timestamp) {
    let tag = languages?.split(whereSeparator: { ",;".contains($0) }).first.map(String.init) ?? "en"
    let isTag = tag.utf8.count <= 35 && tag.utf8.allSatisfy { $0.isASCIIWord || $0 == UInt8(ascii: "-") }
    locale = Locale(identifier: isTag ? tag : "en")
    self.zone = zone ?? .gmt
    self.now = now
  }

  var zoneName: String { zone.identifier }

  func amount(_ amount: Int64) -> HTML { number(amount, text: plain(amount)) }

  /// An amount of a change, with its sign.
  func change(_ amount: Int64) -> HTML {
    number(amount, text: amount.formatted(.number.locale(locale).sign(strategy: .always(includingZero: false))))
      .classed(amount < 0 ? "minus" : "plus")
  }

  /// The amount as text, for sentences.
  func plain(_ amount: Int64) -> String { amount.formatted(.number.locale(locale)) }

  /// Amounts with the codes of their currencies.
  func amounts(_ amounts: [(code: CurrencyCode, amount: Int64)], signed: Bool = false) -> HTML {
    .group(
      amounts.enumerated().flatMap { index, part -> [HTML] in
        let amount = signed ? change(part.amount) : self.amount(part.amount)
        return [index == 0 ? .none : ", ", amount, "\u{A0}\(part.code.description)"]
      })
  }

  func money(_ money: Money) -> HTML {
    let exact = "\(MoneyText.plain(money)) \(money.currency)"
    let value = Decimal(string: MoneyText.plain(money)) ?? 0
    return HTML.element(.data, [], [.text(value.formatted(.currency(code: money.currency).locale(locale)))])
      .with(.value, exact).with(.title, exact).with(.dataExact, exact)
  }

  private func number(_ amount: Int64, text: String) -> HTML {
    HTML.element(.data, [], [.text(text)]).with(.value, String(amount)).with(.title, String(amount))
      .with(.dataExact, String(amount))
  }

  func time(_ time: Timestamp) -> HTML {
    var style = Date.FormatStyle(date: .abbreviated, time: .shortened, locale: locale)
    style.timeZone = zone
    return HTML.element(.time, [], [.text(time.date.formatted(style))]).with(.datetime, time.description)
      .with(.title, time.description).with(.dataExact, time.description)
  }

  /// The time since an instant, in whole units, such as `3 minutes`.
  func age(since time: Timestamp) -> String {
    let seconds = max(0, now.milliseconds(since: time) / 1000)
    for (length, unit) in [(86_400, "day"), (3600, "hour"), (60, "minute")] as [(Int64, String)]
    where seconds >= length {
      return AmountText.counted(seconds / length, unit)
    }
    return AmountText.counted(seconds, "second")
  }
}

extension UInt8 {
  fileprivate var isASCIIWord: Bool {
    (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self)
  }
}
#endif
