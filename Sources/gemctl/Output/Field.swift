import GemLedger

/// A column of a table, with its cell in each row.
struct Field<Row> {
  let column: Table.Column
  let cell: (Row) -> Cell
}

extension Field {
  /// A short word, which stays whole as long as possible.
  static func left(_ title: String, _ text: @escaping (Row) -> String?) -> Self {
    Self(column: .left(title)) { .text(text($0)) }
  }

  /// A text whose beginning is enough on a narrow terminal.
  static func text(_ title: String, _ text: @escaping (Row) -> String?) -> Self {
    Self(column: .text(title)) { .text(text($0)) }
  }

  static func id(_ title: String, _ text: @escaping (Row) -> String?) -> Self {
    Self(column: .id(title)) { .text(text($0)) }
  }

  static func time(_ title: String, none: String = "", _ time: @escaping (Row) -> Timestamp?) -> Self {
    Self(column: .time(title)) { .text(time($0)?.description ?? none) }
  }

  /// A number that is not an amount.
  static func right(_ title: String, _ text: @escaping (Row) -> String?) -> Self {
    Self(column: .right(title)) { .text(text($0)) }
  }

  static func amount(_ title: String, _ amount: @escaping (Row) -> Int64?) -> Self {
    Self(column: .right(title)) { .amount(amount($0)) }
  }

  static func change(_ title: String, _ amount: @escaping (Row) -> Int64?) -> Self {
    Self(column: .right(title)) { .change(amount($0)) }
  }

  static func money(_ title: String, _ money: @escaping (Row) -> Money?) -> Self {
    Self(column: .right(title)) { .money(money($0)) }
  }

  static func share(_ title: String, _ milliPercent: @escaping (Row) -> Int64?) -> Self {
    Self(column: .right(title)) { .share(milliPercent($0)) }
  }
}

extension Sequence {
  /// Returns a table with a row for each element.
  func table(_ fields: [Field<Element>]) -> Table {
    var table = Table(fields.map(\.column))
    for row in self { table.add(fields.map { $0.cell(row) }) }
    return table
  }
}
