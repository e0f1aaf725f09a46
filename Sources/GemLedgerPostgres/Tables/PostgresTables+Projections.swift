#if PostgreSQL
  internal import GemLedger

  extension PostgresTables {
    func projections(_ changes: borrowing ChangeSet) throws(LedgerError) -> [PostgresRequest] {
      var requests: [PostgresRequest] = []
      let moved = changes.rare?.movedLots ?? []
      if !moved.isEmpty { requests += try self.moved(moved, Self.owners(ofLotsOf: changes)) }
      let lots = changes.newLots + changes.changedLots + Self.unchanged(changes)
      if !lots.isEmpty { requests.append(Self.lots(lots)) }
      let anchors = changes.anchors
      if !anchors.isEmpty {
        requests.append(
          PostgresRequest(
            """
            INSERT INTO anchors (customer, currency, version, entry, transaction_number, created_at)
            SELECT * FROM unnest($1, $2, $3, $4, $5, $6)
            """
          ) {
            $0.add(anchors, \.account.customer)
            $0.add(anchors, \.account.currency)
            $0.add(anchors, \.version)
            $0.add(anchors, \.entry)
            $0.add(anchors, \.transaction)
            $0.add(anchors, \.createdAt.milliseconds)
          })
      }
      return requests
    }

    // MARK: Lots

    private static func lots(_ rows: [LotRow]) -> PostgresRequest {
      PostgresRequest(
        """
        INSERT INTO lots (\(lotColumns)) SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
        ON CONFLICT (customer, lot) DO UPDATE SET granted = excluded.granted, remaining = excluded.remaining
        """
      ) {
        $0.add(rows, \.account.customer)
        $0.add(rows, \.number)
        $0.add(rows, \.account.currency)
        $0.add(rows, \.source.rawValue)
        $0.add(rows, \.environment)
        $0.add(rows, \.granted)
        $0.add(rows, \.remaining)
        $0.add(rows, optional: \.price?.minorUnits)
        $0.add(rows, text: \.price?.currency)
        $0.add(rows, optional: \.purchase)
        $0.add(rows, \.expiresAt)
      }
    }

    /// Lots that only moved; those that also changed are written with the changed ones.
    private static func unchanged(_ changes: borrowing ChangeSet) -> [LotRow] {
      guard let moved = changes.rare?.movedLots, !moved.isEmpty else { return [] }
      let written = Set((changes.newLots + changes.changedLots).map(\.number))
      return moved.filter { !written.contains($0.number) }
    }

    /// A lot that moves leaves the rows of whom it was with; its terms are then with all who had it.
    ///
    /// - Parameter owners: Who had which lot within the group: it may have gone through several hands.
    private func moved(
      _ lots: [LotRow], _ owners: [LotNumber: Set<CustomerNumber>]
    ) throws(LedgerError) -> [PostgresRequest] {
      let places = lots.map { lot in
        RowPlace(lot.number, of: prefetched?.lotOwners[lot.number] ?? lot.account.customer)
      }
      // A lot's row does not say which lot its currency came out of.
      let terms = try self.lotTerms(places)
      let former = lots.flatMap { lot in
        let terms = terms[lot.number] ?? LotTermsRow(of: lot)
        return (owners[lot.number] ?? []).union([lot.account.customer]).sorted().map { (terms, $0) }
      }
      let leaving = places.map { place in
        PostgresRequest("DELETE FROM lots WHERE customer = $1 AND lot = $2") {
          $0.add(place.customer ?? 0)
          $0.add(place.number)
        }
      }
      return leaving + [Self.terms(former, ifMissing: true)]
    }

    static func terms(
      _ rows: [(terms: LotTermsRow, owner: CustomerNumber)], ifMissing: Bool = false
    ) -> PostgresRequest {
      let tail = ifMissing ? " ON CONFLICT DO NOTHING" : ""
      return PostgresRequest(
        """
        INSERT INTO lot_terms (customer, lot, source, environment, price, price_currency, purchase, expires_at, origin)
        SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9)\(tail)
        """
      ) {
        $0.add(rows, \.owner)
        $0.add(rows, \.terms.lot)
        $0.add(rows, \.terms.source.rawValue)
        $0.add(rows, \.terms.environment)
        $0.add(rows, optional: \.terms.price?.minorUnits)
        $0.add(rows, text: \.terms.price?.currency)
        $0.add(rows, optional: \.terms.purchase)
        $0.add(rows, \.terms.expiresAt)
        $0.add(rows, \.terms.origin)
      }
    }
  }
#endif
