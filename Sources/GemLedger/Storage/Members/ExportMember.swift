/// The member of an export's line that has the value of a column.
///
/// Each column of an exported row states its member, or that it has none, so that no export forgets a column.
package struct ExportMember: Sendable {
  /// The value that a line leaves out; an import reads a missing member as that value.
  package enum Omission: Sendable {
    case zero
    /// `.max`, an instant that never comes.
    case never
    case emptyText
    /// The value of the transaction that the row is part of.
    case transaction

    /// The omitted number, if it does not depend on a transaction.
    package var number: Int64? {
      switch self {
      case .zero: 0
      case .never: .max
      case .emptyText, .transaction: nil
      }
    }
  }

  /// The order of members: the first ones, the middle ones, the last ones, and in each of these the order of columns.
  package enum Place: Sendable {
    case first
    case middle
    case last
  }

  /// The member's name; nil for the name of the column.
  package var name: StaticString?
  package var omission: Omission?
  /// The least number that an import accepts; nil for the least of the bound.
  package var least: Int64?
  /// The bound of an import's numbers; nil for the bound of the column.
  package var bound: ColumnBound?
  package var place: Place = .middle
  package var isAbsent = false
  /// Whether a text is JSON, which an export writes as a value if that reads back as the same text.
  package var isDocument = false
  /// Whether an import refuses a line without the member, unless an omission defines its value.
  package var isRequired = false

  package var required: Self {
    var member = self
    member.isRequired = true
    return member
  }

  init(isAbsent: Bool) { self.isAbsent = isAbsent }

  /// A member with the name of the column.
  package static var exported: Self { Self(isAbsent: false) }

  package static func exported(
    as name: StaticString? = nil, unless omission: Omission? = nil, atLeast least: Int64? = nil,
    within bound: ColumnBound? = nil, place: Place = .middle, asJSON isDocument: Bool = false
  ) -> Self {
    var member = Self(isAbsent: false)
    (member.name, member.omission, member.least) = (name, omission, least)
    (member.bound, member.place, member.isDocument) = (bound, place, isDocument)
    return member
  }

  /// No member: an import finds the value in other members or other lines.
  package static var derived: Self { Self(isAbsent: true) }
  /// No member: the value concerns one storage and not the ledger.
  package static var local: Self { Self(isAbsent: true) }
}

/// A row that exports have, with a member for each column that is not derived from others.
package protocol ExportedRow: StoredRow {
  /// Whether any of its members is not in the order of the columns.
  static var hasPlacedMembers: Bool { get }
  mutating func visit<Members: MemberVisitor>(_ members: inout Members)

  // Requirements, so that the compiler specializes `visit` for each row: exports and imports visit millions of rows.
  // Other modules cannot specialize generic code of this module.
  mutating func write(to members: inout MemberWriter)
  mutating func read(from fields: inout ImportFields)
}

extension ExportedRow {
  package static var hasPlacedMembers: Bool { false }
  package mutating func write(to members: inout MemberWriter) { visit(&members) }
  package mutating func read(from fields: inout ImportFields) { visit(&fields) }
}

/// One of a few values that storages keep as a number and exports as a name; both never change once released.
package protocol ExportedKind: Sendable {
  var number: Int64 { get }
  static func numbered(_ number: Int64) -> Self?
  var name: String { get }
  init?(name: String)
}

extension ExportedKind where Self: RawRepresentable<Int64> {
  package var number: Int64 { rawValue }
  package static func numbered(_ number: Int64) -> Self? { Self(rawValue: number) }
}

extension ExportedKind where Self: CaseIterable {
  package init?(name: String) {
    guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = found
  }
}

extension Store: ExportedKind {
  package var name: String { description }
}

extension LotSource: ExportedKind {}

extension EntryKind: ExportedKind {
  private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.name, $0) })

  package init?(name: String) {
    guard let kind = Self.byName[name] else { return nil }
    self = kind
  }
}
