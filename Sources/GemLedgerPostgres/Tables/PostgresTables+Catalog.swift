#if PostgreSQL
  internal import GemLedger

  // The catalog, the environments, and how far numbers went.

  extension PostgresTables {
    func catalogRows(_ kind: CatalogRow.Kind) throws(LedgerError) -> [CatalogRow] {
      if kind == .currency, let currencies { return currencies }
      guard let rows = try ask([Self.catalogRequest(kind)]).first else { return [] }
      return (0..<rows.count).map { Self.catalogRow(kind, rows, $0) }
    }

    static func catalogRequest(_ kind: CatalogRow.Kind) -> PostgresRequest {
      PostgresRequest("SELECT code, position, document FROM catalog WHERE kind = $1 ORDER BY position") {
        $0.add(kind.rawValue)
      }
    }

    func catalogRow(_ kind: CatalogRow.Kind, code: String) throws(LedgerError) -> CatalogRow? {
      try first("SELECT code, position, document FROM catalog WHERE kind = $1 AND code = $2") {
        $0.add(kind.rawValue)
        $0.add(code)
      } _: { rows, row in
        Self.catalogRow(kind, rows, row)
      }
    }

    static func catalogRow(_ kind: CatalogRow.Kind, _ rows: PostgresRows, _ row: Int) -> CatalogRow {
      CatalogRow(kind: kind, code: rows.text(row, 0), position: rows.integer(row, 1), document: rows.text(row, 2))
    }

    func environments() throws(LedgerError) -> [EnvironmentRow] {
      try all("SELECT environment, kind, session FROM environments ORDER BY environment") { rows, row in
        EnvironmentRow(
          number: rows.integer(row, 0),
          environment: StoreEnvironment(
            kind: StoreEnvironment.Kind(rawValue: rows.integer(row, 1)) ?? .localTesting,
            session: rows.optionalText(row, 2)))
      }
    }

    func last(_ sequence: RareSequence) throws(LedgerError) -> Int64 {
      switch sequence {
      case .customer: try highest("SELECT max(customer) FROM customers")
      // The first pooled lot of an account has no row of its own.
      case .lot: try highest("SELECT max(lot) FROM lots", "SELECT max(pool_lot) FROM accounts")
      case .purchase: try highest("SELECT max(purchase) FROM purchases")
      case .environment: try highest("SELECT max(environment) FROM environments")
      case .order: try highest("SELECT max(number) FROM orders")
      }
    }

    private func highest(_ statements: String...) throws(LedgerError) -> Int64 {
      try ask(statements.map { PostgresRequest($0) }).map { $0.count == 0 ? 0 : $0.integer(0, 0) }.max() ?? 0
    }
  }
#endif
