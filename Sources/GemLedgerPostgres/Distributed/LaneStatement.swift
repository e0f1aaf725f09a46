#if PostgreSQL
/// A statement split at the places of its rows' lanes.
///
/// The tables of customers have the column `lane` only on a distributed engine, so the statements are written without
/// it. A parameter with a customer determines the lane.
struct LaneStatement {
  /// A part of the text.
  enum Piece: Hashable {
    case text(String)
    /// A condition on the lanes of the customers in a parameter.
    ///
    /// - Parameters:
    ///   - qualifier: The prefix of the column: empty, or a table's name and a dot.
    ///   - customers: The number of the parameter.
    case condition(qualifier: String, customers: Int)
    /// The lane of the customer in a parameter, as a value.
    case value(customers: Int)
  }

  /// An insertion of lists, one for each column.
  struct ListInsertion: Hashable {
    let table: String
    let columns: [String]
    /// The number of the parameter with the customers.
    let customers: Int
    /// The rest after the lists: empty, or a space and the clause for existing rows.
    let conflict: String

    /// Returns the insertion of rows of one lane.
    ///
    /// - Parameters:
    ///   - lane: The lane, as an expression.
    ///   - first: The number of the first list's parameter.
    func sql(ofLane lane: String, from first: Int = 1) -> String {
      let lists = parameters(from: first).joined(separator: ", ")
      return "\(beginning) SELECT \(lane), u.* FROM unnest(\(lists)) u\(conflict)"
    }

    /// Returns the insertion of the only row of the lists.
    func sqlOfOneRow(ofLane lane: String, from first: Int) -> String {
      let values = parameters(from: first).map { "(\($0))[1]" }.joined(separator: ", ")
      return "\(beginning) VALUES (\(lane), \(values))\(conflict)"
    }

    private var beginning: String { "INSERT INTO \(table) (lane, \(columns.joined(separator: ", ")))" }

    private func parameters(from first: Int) -> [String] { (first..<first + columns.count).map { "$\($0)" } }
  }

  enum Form: Hashable {
    /// A statement without customers, or not about their tables.
    case asItIs
    case pieces([Piece])
    case insertion(ListInsertion)
  }

  let form: Form
  /// Whether it locks lanes, as the first statement of a group does.
  let locksLanes: Bool
  /// Whether it only reads tables, and locks nothing.
  let isQuery: Bool

  /// Returns the text of pieces.
  ///
  /// - Parameter lane: Returns the lanes of the customers in a parameter, as an expression for a comparison.
  static func sql(_ pieces: [Piece], _ lane: (Int) -> String) -> String {
    var sql = ""
    for piece in pieces {
      switch piece {
      case .text(let text): sql += text
      case .condition(let qualifier, let customers): sql += "\(qualifier)lane = \(lane(customers)) AND "
      case .value(let customers): sql += "\(lane(customers)), "
      }
    }
    return sql
  }

  init(_ sql: String) {
    locksLanes = sql.contains(" FROM lanes ") && sql.hasSuffix(" FOR UPDATE")
    isQuery = sql.hasPrefix("SELECT ") && sql.contains("FROM ") && !sql.contains(" FOR ")
    var parser = LaneParser(sql)
    form = parser.form()
  }
}

/// Parses the SQL forms of the ledger's statements; keywords are in capitals.
private struct LaneParser {
  private static let tablesOfCustomers = Set(
    SchemaTable.all.filter { $0.distribution == .byCustomer }.map(\.name))
  /// Tables in which the column `customer` does not determine the place of a row.
  private static let tablesOfValues = Set(
    SchemaTable.all.filter { if case .byValue = $0.distribution { true } else { false } }.map(\.name))

  private let sql: String
  /// Words with their qualifiers, parameters, and single characters.
  private let tokens: [Substring]
  private var pieces: [LaneStatement.Piece] = []
  private var copied: String.Index
  /// The parameters that a select list converts to rows, by column name.
  private var places: [Substring: Int] = [:]

  /// An open parenthesis.
  private struct Level {
    /// Whether it contains a query in place of a table.
    var isTable = false
    /// Whether its select list is still open.
    var isInList = false
  }

  init(_ sql: String) {
    self.sql = sql
    tokens = Self.tokens(of: sql)
    copied = sql.startIndex
  }

  mutating func form() -> LaneStatement.Form {
    let tables = zip(tokens, tokens.dropFirst()).compactMap { word, name in
      ["FROM", "JOIN", "INTO", "UPDATE"].contains(word) ? String(name) : nil
    }
    guard !Self.tablesOfCustomers.isDisjoint(with: tables), Self.tablesOfValues.isDisjoint(with: tables) else {
      return .asItIs
    }
    return tokens.first == "INSERT" ? insertion() : conditions()
  }

  private static func tokens(of sql: String) -> [Substring] {
    var tokens: [Substring] = []
    var rest = sql[...]
    while let first = rest.first {
      let word = rest.prefix { $0.isLetter || $0.isNumber || "_.$".contains($0) }
      let token = word.isEmpty ? rest.prefix(1) : word
      if !first.isWhitespace { tokens.append(token) }
      rest = rest[token.endIndex...]
    }
    return tokens
  }

  private func token(_ index: Int) -> Substring { tokens.indices.contains(index) ? tokens[index] : "" }

  private func parameter(_ index: Int) -> Int? {
    let token = token(index)
    return token.first == "$" ? Int(token.dropFirst()) : nil
  }

  private mutating func insert(_ piece: LaneStatement.Piece, before index: String.Index) {
    pieces += [.text(String(sql[copied..<index])), piece]
    copied = index
  }

  private mutating func finish() -> LaneStatement.Form {
    guard !pieces.isEmpty else { return .asItIs }
    return .pieces(pieces + [.text(String(sql[copied...]))])
  }

  // MARK: Conditions

  private mutating func conditions() -> LaneStatement.Form {
    var levels = [Level()]
    for index in tokens.indices {
      switch tokens[index] {
      case "(": levels.append(Level(isTable: beginsTable(index, within: levels[levels.count - 1])))
      case ")" where levels.count > 1: levels.removeLast()
      case "SELECT": levels[levels.count - 1].isInList = levels[levels.count - 1].isTable
      case "FROM" where levels[levels.count - 1].isInList:
        levels[levels.count - 1].isInList = false
        // After the other columns, whose positions do not change.
        if Self.tablesOfCustomers.contains(String(token(index + 1))) || token(index + 1) == "(" {
          insert(.text(", \(aliasOfTable(behind: index))lane "), before: tokens[index].startIndex)
        }
      case "unnest":
        if let list = parameter(index + 2), token(index + 4) == "AS" { places[token(index + 5)] = list }
      default: if token(index + 1) == "=" { nameLane(index) }
      }
    }
    return finish()
  }

  /// Returns the alias of the table after `FROM` with a dot; empty if it has none.
  ///
  /// A table in a join has an alias.
  private func aliasOfTable(behind index: Int) -> String {
    let name = token(index + 2)
    let isName = name.allSatisfy { $0.isLowercase || $0 == "_" } && !name.isEmpty
    return isName ? "\(name)." : ""
  }

  private func beginsTable(_ index: Int, within level: Level) -> Bool {
    let before = token(index - 1)
    return ["FROM", "JOIN", "LATERAL"].contains(before) || level.isTable && ["(", "ALL", "UNION"].contains(before)
  }

  /// Adds the lane before a comparison with a customer.
  private mutating func nameLane(_ index: Int) {
    let (column, value) = (tokens[index], token(index + 2))
    guard column == "customer" || column.hasSuffix(".customer") else { return }
    let qualifier = String(column.dropLast("customer".count))
    let start = column.startIndex
    if let customers = parameter(index + 2) ?? (value == "ANY" ? parameter(index + 4) : nil) ?? places[value] {
      insert(.condition(qualifier: qualifier, customers: customers), before: start)
    } else if !qualifier.isEmpty, value.hasSuffix(".customer") {
      insert(.text("\(qualifier)lane = \(value.dropLast("customer".count))lane AND "), before: start)
    }
  }

  // MARK: Insertions

  private mutating func insertion() -> LaneStatement.Form {
    guard let close = tokens.firstIndex(of: ")"), token(3) == "(" else { return .asItIs }
    let columns = tokens[4..<close].filter { $0 != "," }.map(String.init)
    guard let position = columns.firstIndex(of: "customer") else { return .asItIs }
    switch token(close + 1) {
    case "SELECT":
      let lists = (0..<columns.count).map { close + 2 + 5 * $0 }
      guard lists.enumerated().allSatisfy({ token($1) == "unnest" && parameter($1 + 2) == $0 + 1 }),
        let end = lists.last.map({ $0 + 3 }), token(end) == ")"
      else { return .asItIs }
      let conflict = Self.naming(String(sql[tokens[end].endIndex...].drop { $0.isWhitespace }))
      return .insertion(
        .init(
          table: String(token(2)), columns: columns, customers: position + 1,
          conflict: conflict.isEmpty ? "" : " " + conflict))
    case "VALUES":
      // Each value before the customer's is a parameter.
      guard let customers = parameter(close + 3 + 2 * position), token(close + 2) == "(" else { return .asItIs }
      insert(.text("lane, "), before: tokens[4].startIndex)
      insert(.value(customers: customers), before: tokens[close + 3].startIndex)
      pieces.append(.text(Self.naming(String(sql[copied...]))))
      return .pieces(pieces)
    default: return .asItIs
    }
  }

  private static func naming(_ conflict: String) -> String {
    conflict.replacing("ON CONFLICT (customer", with: "ON CONFLICT (lane, customer", maxReplacements: 1)
  }
}
#endif
