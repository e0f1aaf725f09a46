/// An environment with the number that lots and purchases refer to.
package struct EnvironmentRow: Hashable, Sendable {
  /// Lower numbers are fixed: one for each kind without a session.
  package static let firstDrawnNumber: Int64 = 16

  package var number: Int64
  package var environment: StoreEnvironment

  package init(number: Int64, environment: StoreEnvironment) {
    self.number = number
    self.environment = environment
  }
}

extension EnvironmentRow: ExportedRow {
  package static let table: StaticString = "environments"
  package static var blank: Self { Self(number: 0, environment: .production) }

  package mutating func visit<Members: MemberVisitor>(_ columns: inout Members) {
    columns.number("environment", &number, .exported(as: "number"))
    var (kind, session) = (environment.kind, environment.session.map(Identifier<TestSessionKind>.init(unchecked:)))
    columns.kind("kind", &kind, else: .localTesting, .exported)
    columns.identifier("session", optional: &session, .exported)
    environment = StoreEnvironment(kind: kind, session: session?.text)
  }
}

extension StoreEnvironment.Kind: ExportedKind {
  package var name: String { StoreEnvironment(kind: self, session: nil).description }
}

// MARK: Indexes

extension EnvironmentRow {
  package static var indexes: [RowIndex<Self>] { [inOrder] }

  /// All environments, in the order of their numbers; the key is empty.
  package static let inOrder = RowIndex<Self>(
    "environmentsInOrder", key: [], order: ["environment"],
    inMemory: .page { tables, _, place, limit in
      tables.environmentRows.filter { $0.number > place?.first ?? .min }.prefix(limit).map(\.self)
    })
}

// MARK: Digest

extension RowDigest {
  static func of(_ row: EnvironmentRow) -> UInt64 {
    var digest = RowDigest(.environment)
    digest.add(row.number)
    digest.add(row.environment.kind.rawValue)
    digest.add(row.environment.session)
    return digest.value
  }
}
