/// A storage's dialect of SQL, which makes the tables of described rows.
///
/// A row's description lists the columns, and ``StoredRow/checks`` the conditions on their values. A schema only
/// specifies a table's differences from these.
package protocol SchemaDialect {
  /// Whether an account is two columns, `customer` and `currency`, and not one.
  static var splitsAccounts: Bool { get }
  /// - Parameter bound: The bound of the column's numbers; nil for a text.
  static func type(of column: String, _ bound: ColumnBound?) -> String
  /// Returns the columns of a table's primary key, which are the first columns.
  ///
  /// - Parameter described: The key columns of the row's description.
  static func key(of table: String, _ described: [String]) -> [String]
  /// Returns the table options after the column list.
  static func options(hasNumberAsKey: Bool) -> String
}

extension SchemaDialect {
  /// The statement that makes the table of a described row.
  ///
  /// - Parameters:
  ///   - only: The key of a table of one row, which is 1; the description does not have it.
  ///   - key: The primary key, if it differs from the dialect's default. A column of it that the description does not
  ///     have is a number.
  ///   - absent: Columns that the table does not have.
  ///   - instead: Column definitions that replace the described ones, also of absent columns.
  ///   - more: Constraints after the columns and the key.
  ///   - options: The table options, if they differ from the dialect's default.
  package static func table<Row: StoredRow>(
    _ row: Row.Type, named name: String = "\(Row.table)", only: String? = nil, key: [String]? = nil,
    without absent: Set<String> = [], instead: [String: String] = [:], more: [String] = [], options: String? = nil
  ) -> String {
    let described = DescribedColumns(of: row, splitsAccounts: splitsAccounts).columns
    let names = ColumnNames(of: row, splitsAccounts: splitsAccounts)
    let key = only.map { [$0] } ?? key ?? self.key(of: name, Array(names.key))
    let checks = (only.map { ["\($0) = 1"] } ?? []) + Row.checks

    let keyColumns = key.map { name in
      described.first { $0.name == name } ?? DescribedColumn(name: name, bound: only == nil ? .number : .kind)
    }
    let columns =
      keyColumns
      + described.filter { !key.contains($0.name) && (instead[$0.name] != nil || !absent.contains($0.name)) }
    let definitions = columns.map { column in
      let constraint = key == [column.name] ? " PRIMARY KEY" : column.isOptional ? "" : " NOT NULL"
      let definition = "\(column.name) \(type(of: column.name, column.bound))\(constraint)"
      return (instead[column.name] ?? definition)
        + checks.filter(column.isSubject).map { " CHECK (\($0))" }.joined()
    }
    let keyLine = key.count > 1 ? ["PRIMARY KEY (\(key.joined(separator: ", ")))"] : []
    let rowChecks = checks.filter { check in !columns.contains { $0.isSubject(of: check) } }.map { "CHECK (\($0))" }

    let lines = (definitions + keyLine + more + rowChecks).joined(separator: ",\n  ")
    let hasNumberAsKey = key.count == 1 && keyColumns[0].bound != nil
    let ending = options ?? self.options(hasNumberAsKey: hasNumberAsKey)
    return "CREATE TABLE \(name) (\n  \(lines)\n)\(ending.isEmpty ? "" : " ")\(ending)"
  }
}

private struct DescribedColumn {
  let name: String
  /// Nil for a text.
  let bound: ColumnBound?
  var isOptional = false

  /// Whether a check begins with the column's name, so that it is part of the column's definition.
  func isSubject(of check: String) -> Bool { check.hasPrefix("\(name) ") }
}

private struct DescribedColumns: ColumnVisitor {
  private(set) var columns: [DescribedColumn] = []
  private let splitsAccounts: Bool

  init<Row: StoredRow>(of type: Row.Type, splitsAccounts: Bool) {
    self.splitsAccounts = splitsAccounts
    var row = Row.blank
    row.visit(&self)
  }

  private mutating func add(_ name: StaticString, _ bound: ColumnBound?, isOptional: Bool = false) {
    columns.append(DescribedColumn(name: "\(name)", bound: bound, isOptional: isOptional))
  }

  mutating func account(_ value: inout AccountNumber) {
    guard splitsAccounts else { return add("account", .number) }
    add("customer", .number)
    add("currency", .currency)
  }

  mutating func integer(_ name: StaticString, _ bound: ColumnBound, _ value: inout Int64) { add(name, bound) }
  mutating func integer(_ name: StaticString, _ bound: ColumnBound, optional value: inout Int64?) {
    add(name, bound, isOptional: true)
  }
  mutating func text(_ name: StaticString, _ value: inout String) { add(name, nil) }
  mutating func text(_ name: StaticString, optional value: inout String?) { add(name, nil, isOptional: true) }
}
