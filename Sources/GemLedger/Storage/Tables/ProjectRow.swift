/// The project's values, drawn once at its creation.
package struct ProjectRow: Hashable, Sendable {
  package var salt: UInt64
  package var createdAt: Timestamp

  package init(salt: UInt64, createdAt: Timestamp) {
    self.salt = salt
    self.createdAt = createdAt
  }
}

/// A storage has one project row.
extension ProjectRow: ExportedRow {
  package static let table: StaticString = "project"
  package static var blank: Self { Self(salt: 0, createdAt: Timestamp(milliseconds: 0)) }

  package mutating func visit<Members: MemberVisitor>(_ columns: inout Members) {
    var bits = Int64(bitPattern: salt)
    columns.integer("salt", .any, &bits, .exported)
    salt = UInt64(bitPattern: bits)
    columns.instant("created_at", &createdAt, .exported)
  }
}
