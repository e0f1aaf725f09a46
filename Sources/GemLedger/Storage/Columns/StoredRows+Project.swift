extension CatalogRow: StoredRow {
  package static let table: StaticString = "catalog"
  package static let keyColumnCount = 2
  package static var blank: Self { Self(kind: .settings, code: "", position: 0, document: "") }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.kind("kind", &kind, else: .settings)
    columns.text("code", &code)
    columns.value("position", &position)
    columns.text("document", &document)
  }
}

extension CatalogVersionRow: StoredRow {
  package static let table: StaticString = "catalog_versions"
  package static var blank: Self { Self(version: 0, appliedAt: Timestamp(milliseconds: 0)) }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.number("version", &version)
    columns.instant("applied_at", &appliedAt)
  }
}

extension EnvironmentRow: StoredRow {
  package static let table: StaticString = "environments"
  package static var blank: Self { Self(number: 0, environment: .production) }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.number("environment", &number)
    var (kind, session) = (environment.kind, environment.session)
    columns.kind("kind", &kind, else: .localTesting)
    columns.text("session", optional: &session)
    environment = StoreEnvironment(kind: kind, session: session)
  }
}
