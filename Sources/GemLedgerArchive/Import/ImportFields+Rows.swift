internal import GemLedger

extension ImportFields {
  /// Reads an object that has the members of one row and no others.
  static func row<Row: ExportedRow>(
    _ value: JSONNode, _ context: ImportContext = ImportContext(), in transaction: TransactionRow? = nil
  ) throws(LineFault) -> Row {
    var fields = try Self(value, context, in: transaction)
    let row: Row = try fields.row()
    try fields.end { $0.names(of: Row.self) }
    return row
  }

  /// Reads the members of a row; the values of its other columns are blank.
  mutating func row<Row: ExportedRow>() throws(LineFault) -> Row {
    var row = Row.blank
    row.read(from: &self)
    if let fault { throw fault }
    return row
  }

  mutating func rows<Row: ExportedRow>(
    _ name: StaticString, in transaction: TransactionRow? = nil
  ) throws(LineFault) -> [Row] {
    var rows: [Row] = []
    guard let list = try list(ifAny: name) else { return rows }
    rows.reserveCapacity(list.reservedCount)
    for value in list { rows.append(try Self.row(value, context, in: transaction)) }
    return rows
  }

  func names<Row: ExportedRow>(of type: Row.Type) -> [String] {
    names { fields in
      var row = Row.blank
      row.read(from: &fields)
    }
  }
}
