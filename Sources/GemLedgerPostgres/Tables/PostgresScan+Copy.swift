#if PostgreSQL
  internal import GemLedger

  /// What only a copy of a whole ledger reads.
  extension PostgresScan: CopyReads {
    func notes(after: TransactionNumber, limit: Int) throws(LedgerError) -> [NoteRow] {
      try page(
        "notes",
        "SELECT \(PostgresTables.noteColumns) FROM notes WHERE transaction_number > $1 ORDER BY transaction_number",
        after: [.integer(after)], limit, PostgresTables.note
      ) { [.integer($0.transaction)] }
    }

    func accountTokens(after: AccountTokenRow?, limit: Int) throws(LedgerError) -> [AccountTokenRow] {
      func place(_ row: AccountTokenRow) -> [Mark] { [.integer(row.token.high), .integer(row.token.low)] }
      // Nothing sorts before the lowest token, which somebody may have.
      let behind = after == nil ? "" : "WHERE (high, low) > ($1, $2)"
      return try page(
        "account_tokens", "SELECT high, low, customer FROM account_tokens \(behind) ORDER BY high, low",
        after: after.map(place) ?? [], limit,
        {
          AccountTokenRow(
            token: TokenNumber(high: $0.integer($1, 0), low: $0.integer($1, 1)), customer: $0.integer($1, 2))
        }, place: place)
    }

    func refundEvidence(after: RefundEvidenceRow?, limit: Int) throws(LedgerError) -> [RefundEvidenceRow] {
      func place(_ row: RefundEvidenceRow) -> [Mark] {
        [
          .text(row.identity.transactionID.text), .integer(row.identity.environment),
          .integer(row.identity.store.number), .integer(row.kind.rawValue), .integer(row.revokedAt.milliseconds),
        ]
      }
      // Nothing sorts before the empty text, which is no id.
      let start: [Mark] = [.text(""), .integer(-1), .integer(-1), .integer(-1), .integer(-1)]
      return try page(
        "refund_evidence",
        """
        SELECT \(PostgresTables.refundEvidenceColumns), store_transaction, environment, store FROM refund_evidence
        WHERE (store_transaction, environment, store, kind, revoked_at) > ($1, $2, $3, $4, $5)
        ORDER BY store_transaction, environment, store, kind, revoked_at
        """, after: after.map(place) ?? start, limit, PostgresTables.refundEvidence, place: place)
    }

    func catalogVersions() throws(LedgerError) -> [CatalogVersionRow] {
      try tables.all("SELECT version, applied_at FROM catalog_versions ORDER BY version") {
        CatalogVersionRow(version: $0.integer($1, 0), appliedAt: Timestamp(milliseconds: $0.integer($1, 1)))
      }
    }

    func copyProgress() throws(LedgerError) -> CopyProgress? {
      try tables.all("SELECT step, pages, source FROM copy_progress") {
        CopyProgress(step: $0.integer($1, 0), pages: $0.integer($1, 1), source: $0.integer($1, 2))
      }.first
    }
  }

  /// What only a copy of a whole ledger writes.
  extension PostgresTables {
    func copied(_ copy: CopyChanges) -> [PostgresRequest] {
      var requests: [PostgresRequest] = []
      if !copy.formerLotTerms.isEmpty {
        requests.append(Self.terms(copy.formerLotTerms.map { ($0.terms, $0.customer) }, ifMissing: true))
      }
      let versions = copy.catalogVersions
      if let last = versions.last {
        requests.append(
          PostgresRequest("INSERT INTO catalog_versions (version, applied_at) SELECT \(BulkInsert.lists(2))") {
            $0.add(versions, \.version)
            $0.add(versions, \.appliedAt.milliseconds)
          })
        requests.append(PostgresRequest("UPDATE lanes SET catalog_version = $1") { $0.add(last.version) })
      }
      guard let progress = copy.progress else { return requests + [PostgresRequest("DELETE FROM copy_progress")] }
      requests.append(
        PostgresRequest(
          """
          INSERT INTO copy_progress (one, step, pages, source) VALUES (1, $1, $2, $3)
          ON CONFLICT (one) DO UPDATE SET step = excluded.step, pages = excluded.pages, source = excluded.source
          """
        ) {
          $0.add(progress.step)
          $0.add(progress.pages)
          $0.add(progress.source)
        })
      return requests
    }
  }
#endif
