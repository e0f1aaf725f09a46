/// A storage has one project row.
extension ProjectRow: StoredRow {
  package static let table: StaticString = "project"
  package static var blank: Self { Self(salt: 0, createdAt: Timestamp(milliseconds: 0)) }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    var bits = Int64(bitPattern: salt)
    columns.integer("salt", .any, &bits)
    salt = UInt64(bitPattern: bits)
    columns.instant("created_at", &createdAt)
  }
}

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

extension DocumentRow: StoredRow {
  package static let table: StaticString = "documents"
  package static let checks = ["version > 0"]
  package static var blank: Self { Self(name: DocumentName(unchecked: ""), version: 0, content: "") }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.identifier("name", &name)
    columns.number("version", &version)
    columns.text("content", &content)
  }
}

// MARK: Copies

/// The progress of a copy; at most one row.
extension CopyProgress: StoredRow {
  package static let table: StaticString = "copy_progress"
  package static var blank: Self { Self(source: 0) }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.number("step", &step)
    columns.number("pages", &pages)
    // The source's value in an import is not the number of a row.
    columns.integer("source", .any, &source)
  }
}

/// At most one row, in storages that draw numbers without gaps.
extension CopiedJournal: StoredRow {
  package static let table: StaticString = "copied_journal"
  package static var blank: Self {
    Self(
      lastTransaction: 0, lastEntry: 0, counts: JournalCounts(transactions: 0, entries: 0, isSparse: false),
      createdAt: Timestamp(milliseconds: 0))
  }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.transaction("last_transaction", &lastTransaction)
    columns.number("transactions", &counts.transactions)
    columns.entry("last_entry", &lastEntry)
    columns.number("entries", &counts.entries)
    columns.instant("created_at", &createdAt)
  }
}
