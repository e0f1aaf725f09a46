#if PostgreSQL
internal import GemLedger

/// Reads of lots.
protocol PostgresLotReads: PostgresReads {}

extension PostgresLotReads {
  func openLots(
    _ account: AccountNumber, paid: Bool, after: LotPosition?, limit: Int
  ) throws(LedgerError) -> [LotRow] {
    if after == nil, limit == GroupRows.lotsPerPage, let deciding {
      return try deciding.rows(deciding.firstLots, of: account.customer).filter {
        $0.account == account && $0.isPaid == paid
      }
    }
    let lots = try all(
      """
      SELECT \(LotRow.columns) FROM lots
      WHERE customer = $1 AND currency = $2 AND (source = 1) = ($3 = 1) AND remaining > 0
        AND (expires_at, lot) > ($4, $5)
      ORDER BY expires_at, lot LIMIT $6
      """,
      {
        $0.add(account.customer)
        $0.add(account.currency)
        $0.add(paid ? 1 : 0)
        $0.add(after?.expiresAt ?? .min)
        $0.add(after?.lot ?? 0)
        $0.add(Int64(limit))
      }, LotRow.read)
    for lot in lots { prefetched?.lotOwners[lot.number] = account.customer }
    return lots
  }

  func pooledLot(
    _ account: AccountNumber, source: LotSource, environment: Int64
  ) throws(LedgerError) -> LotRow? {
    if let deciding {
      return try deciding.rows(deciding.pooledLots, of: account.customer).first {
        $0.account == account && $0.source == source && $0.environment == environment
      }
    }
    return try first(
      """
      SELECT \(LotRow.columns) FROM lots WHERE customer = $1 AND currency = $2 AND source = $3 AND environment = $4
        AND purchase IS NULL AND expires_at = 9223372036854775807 AND price IS NULL
      """,
      {
        $0.add(account.customer)
        $0.add(account.currency)
        $0.add(source.rawValue)
        $0.add(environment)
      }, LotRow.read)
  }

  func lot(_ number: LotNumber, of owner: CustomerNumber) throws(LedgerError) -> LotRow? {
    if let deciding { return try deciding.rows(deciding.lots, number, ofAny: [owner]).first }
    // A write that moves the lot removes it here.
    prefetched?.lotOwners[number] = owner
    return try first(
      "SELECT \(LotRow.columns) FROM lots WHERE customer = $1 AND lot = $2",
      {
        $0.add(owner)
        $0.add(number)
      }, LotRow.read)
  }

  /// Looks through all lots.
  func lot(_ number: LotNumber) throws(LedgerError) -> LotRow? {
    try first("SELECT \(LotRow.columns) FROM lots WHERE lot = $1", { $0.add(number) }, LotRow.read)
  }

  func lotAttributes(_ number: LotNumber, of owner: CustomerNumber) throws(LedgerError) -> LotAttributesRow? {
    if let deciding { return try deciding.rows(deciding.lotAttributes, number, ofAny: [owner]).first }
    return try first(
      "SELECT \(LotAttributesRow.columns) FROM lot_attributes WHERE customer = $1 AND lot = $2",
      {
        $0.add(owner)
        $0.add(number)
      }, LotAttributesRow.read)
  }

  /// Looks through the attributes of all lots.
  func lotAttributes(_ number: LotNumber) throws(LedgerError) -> LotAttributesRow? {
    try first(
      "SELECT \(LotAttributesRow.columns) FROM lot_attributes WHERE lot = $1 LIMIT 1", { $0.add(number) },
      LotAttributesRow.read
    )
  }
}
#endif
