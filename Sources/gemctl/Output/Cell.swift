import GemLedger
import LedgerCharts

/// A cell of a table: the text for people and the value for programs.
struct Cell: Sendable {
  let text: String
  let plain: String

  static let none = Cell(text: "", plain: "")

  static func text(_ text: String?) -> Self { Self(text: text ?? "", plain: text ?? "") }

  static func amount(_ amount: Int64?) -> Self {
    amount.map { Self(text: AmountText.grouped($0), plain: String($0)) } ?? .none
  }

  static func change(_ amount: Int64?) -> Self {
    amount.map { Self(text: AmountText.signed($0), plain: String($0)) } ?? .none
  }

  static func time(_ time: Timestamp?) -> Self { .text(time?.description) }

  /// Real money in major units; its currency has a separate column.
  static func money(_ money: Money?) -> Self { .text(money.map(MoneyText.plain)) }

  /// Thousandths of a percent.
  static func share(_ milliPercent: Int64?) -> Self {
    guard let milliPercent else { return .none }
    let text = "\(milliPercent / 1000)." + String(String(milliPercent % 1000 + 1000).dropFirst())
    return Self(text: text + " %", plain: text)
  }
}
