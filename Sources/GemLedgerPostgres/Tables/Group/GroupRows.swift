#if PostgreSQL
internal import GemLedger
internal import Synchronization

/// The rows that a group has looked up, and the look-ups that its decisions still need.
///
/// A looked-up key without rows here has no rows in the database.
final class GroupRows: SessionPart {
  typealias CustomerAddress = CustomerDirectory.CustomerAddress

  unowned let session: PostgresSession
  /// Whether commands are being decided: a read of missing rows then records them and ends the attempt.
  var isDeciding = false
  private var lookups: [any GroupLookup] = []
  /// The look-ups by the indexes that a number finds.
  private var lookupsOfIndexes: [ObjectIdentifier: any GroupLookup] = [:]
  /// The results of all other statements.
  private var answers: [StatementKey: PostgresRows] = [:]
  private var wantedStatements: [StatementKey: PostgresRequest] = [:]

  /// Customers that the group created: they have no rows yet.
  private var made: Set<CustomerNumber> = []
  var accounts: [AccountNumber: AccountRow] = [:]
  /// The lots in accounts' rows, which have no separate rows.
  var pools: Set<LotNumber> = []
  /// Customers with erased ids: a cached id of such a customer may be outdated.
  var erased: Set<CustomerNumber> = []
  /// The customers that ids of the group's commands named at the last look-up.
  var remembered: [CustomerID: CustomerAddress] = [:]
  /// The customers that ids name; nil for an unused id.
  var addresses: [CustomerID: CustomerAddress?] = [:]
  var claims: [PurchaseIdentity: StoreClaim] = [:]
  var identities: [LedgerCommand.PurchaseClaim: PurchaseIdentity] = [:]
  var evidence: [PurchaseIdentity: [EvidenceRow]] = [:]
  var guess = FirstGuess()
  var rowsOfIDs = RowsOfIDs()
  var holdsByNumber: [TransactionNumber: HoldRow] = [:]
  var entriesByAddress: [RowAddress: EntryRow] = [:]

  // MARK: The customers with rows that the group may move

  var lotOwners: [LotNumber: CustomerNumber] = [:]
  var holdOwners: [TransactionNumber: CustomerNumber] = [:]
  var purchaseOwners: [Int64: CustomerNumber] = [:]
  /// Entitlement owners, by purchase.
  var holders: [Int64: CustomerNumber] = [:]

  init(session: PostgresSession) { self.session = session }

  /// The number of lots of a class on an account's first page, the same as in the engine.
  static let lotsPerPage = 32

  struct KeyAddress: Hashable {
    let customer: CustomerNumber
    let key: IdempotencyKey
  }

  /// A store transaction: while it is not credited, no other group can credit it during this group.
  struct StoreClaim {
    var customer: CustomerNumber
    /// The purchase number; 0 if it is not credited yet.
    var purchase: Int64
  }

  // MARK: Look-ups

  lazy var aliases = lookup(arrived: GroupRows.arrived(named:_:)) { ids, _ in
    [PostgresRequest("SELECT id, customer FROM aliases WHERE id = ANY($1)", ids.map(\.text))]
  } read: {
    (CustomerID(unchecked: $0.text($1, 0)), $0.integer($1, 1))
  }
  lazy var customers = lookup(arrived: GroupRows.arrived(customer:_:), CustomerStatements.customersWithAccounts) {
    [unowned self] in keep(customer: $0, $1)
  }
  lazy var firstLots = lookup(CustomerStatements.firstLots) {
    let lot = LotRow.read($0, $1)
    return (lot.account.customer, lot)
  }
  lazy var keys = lookup(KeyStatements.requests) {
    [unowned self] (rows, row) throws(LedgerError) in
    let row = try KeyRow.readAnswered(rows, row, storageName)
    return (KeyAddress(customer: row.customer, key: row.key), row)
  }
  lazy var located = lookup(arrived: GroupRows.arrived(transaction:_:), LocatingStatements.requests) {
    let found = LocatingStatements.located($0, $1)
    return (found.row.number, found)
  }
  /// Entries, each with older entries of its customer: histories are read from new to old.
  lazy var entryPages = lookup(arrived: GroupRows.arrived(entriesUpTo:_:), EntryStatements.pages) {
    let last = $0.columnCount
    return (RowAddress($0.integer($1, last - 1), of: $0.integer($1, last - 2)), EntryRow.read($0, $1))
  }
  /// By customer.
  lazy var pooledLots = lookup(of: IndexSource(LotRow.pooled, IndexDifference(key: "customer = $1")), LotRow.self)
  /// By transaction: the allocations of its entries are read together.
  lazy var allocations = lookup(
    of: IndexSource(AllocationRow.ofEntry, .ofTransactions("entry")), AllocationRow.self,
    arrived: GroupRows.arrived(allocationsOf:_:))
  /// The attributes of a lot and its original lots; a single server finds a lot without its customer.
  lazy var lineages = lookup(arrived: GroupRows.arrived(lineageOf:_:), LineageStatements.attributes) {
    ($0.integer($1, $0.columnCount - 1), LotAttributesRow.read($0, $1))
  }
  /// The purchases that lots originate from, by lot.
  lazy var payingPurchases = lookup(LineageStatements.purchases) {
    ($0.integer($1, $0.columnCount - 1), PurchaseRow.read($0, $1))
  }
  /// By the customer of open holds.
  lazy var eventsOfHolds = lookup(
    of: IndexSource(
      JournalEventRow.about, IndexDifference(table: JournalEventRow.aboutOpenHolds, key: "owner = $1")),
    JournalEventRow.self, arrived: GroupRows.arrived(eventsOfHolds:_:))
  /// By the refunded purchases.
  lazy var partsOfPurchases = lookup(
    of: IndexSource(
      RefundPartRow.ofTransaction, IndexDifference(table: RefundPartRow.ofPurchase, key: "purchase = $1")),
    RefundPartRow.self, arrived: GroupRows.arrived(partsOf:_:))

  /// - Parameter arrived: Called with received rows, which may refer to others.
  private func lookup<Key: Hashable, Row>(
    arrived: @escaping (GroupRows) -> (Key, [Row]) -> Void = { rows in { rows.received($1) } },
    _ requests: @escaping ([Key], LaneLayout) -> [PostgresRequest],
    read: @escaping (PostgresRows, Int) throws(LedgerError) -> (Key, Row)
  ) -> RowLookup<Key, Row> {
    let lookup = RowLookup<Key, Row>(
      { [layout] in requests($0, layout) }, arrived: { [unowned self] in arrived(self)($0, $1) }, read: read)
    lookups.append(lookup)
    return lookup
  }

  /// Makes the look-up of an index's rows.
  private func lookup<Row: StoredRow>(
    of source: IndexSource, _: Row.Type,
    arrived: @escaping (GroupRows) -> (RowAddress, [Row]) -> Void = { rows in { rows.received($1) } }
  ) -> RowLookup<RowAddress, Row> {
    lookup(arrived: arrived, source.requests) { (rows, row) throws(LedgerError) in
      (source.address(rows, row), try RowReader.row(rows, row))
    }
  }

  /// Returns the look-up by an index that a number finds.
  func lookup<Row>(_ index: RowIndex<Row>) -> RowLookup<RowAddress, Row> {
    if let known = lookupsOfIndexes[index.id] as? RowLookup<RowAddress, Row> { return known }
    let new = lookup(of: session.source(of: index), Row.self)
    lookupsOfIndexes[index.id] = new
    return new
  }

  // MARK: Customers that the group makes

  func make(_ customer: CustomerNumber) {
    made.insert(customer)
    customers.set(customer, to: [])
  }

  func isMade(_ customer: CustomerNumber) -> Bool { made.contains(customer) }

  // MARK: Loading

  /// Returns the results of any statements, if the group has sent them; otherwise adds them to the next load.
  func answers(to requests: [PostgresRequest]) throws(LedgerError) -> [PostgresRows] {
    var found: [PostgresRows] = []
    for request in requests {
      let statement = StatementKey(request)
      if let known = answers[statement] { found.append(known) } else { wantedStatements[statement] = request }
    }
    guard found.count == requests.count else { throw .rowsMissing }
    return found
  }

  /// Requests the products and items that the commands use, if the ledger cannot have read them yet.
  func wantCatalog(isChanged: Bool) {
    for key in memory.unread(guess.catalogKeys, isChanged: isChanged) {
      let request = session.request(CatalogRow.byCode, key)
      let statement = StatementKey(request)
      if answers[statement] == nil { wantedStatements[statement] = request }
    }
  }

  /// Looks up all requested rows in one round trip.
  ///
  /// - Parameter claims: Further queries for the same round trip.
  /// - Returns: Whether there was anything to look up.
  func load(with claims: [RowsQuery] = []) throws(LedgerError) -> Bool {
    if isDeciding { wantMoreOfFirstLots() }
    let claims = claims + queriesOfIDs()
    let asked = lookups.map { ($0, $0.takeRequests()) }.filter { !$0.1.isEmpty }
    let statements = Array(wantedStatements)
    wantedStatements = [:]
    let requests = claims.flatMap(\.requests) + asked.flatMap(\.1) + statements.map(\.value)
    guard !requests.isEmpty else { return false }
    var rest = try session.ask(requests)[...]
    for query in claims {
      for _ in query.requests {
        let rows = rest.removeFirst()
        for row in 0..<rows.count { try query.keep(self, rows, row) }
      }
    }
    for (lookup, requests) in asked {
      try lookup.keep(rest.prefix(requests.count))
      rest = rest.dropFirst(requests.count)
    }
    for (statement, rows) in zip(statements, rest) { answers[statement.key] = rows }
    return true
  }
}

/// A query for rows in addition to a group's look-ups, with the receiver of its result.
struct RowsQuery {
  let requests: [PostgresRequest]
  let keep: (GroupRows, PostgresRows, Int) throws(LedgerError) -> Void
}

/// The position of a lane that a group holds.
struct LaneHead: Sendable {
  var lane: Int
  var last: Int64
  var createdAt: Int64
  var catalogVersion: Int64
  /// The sums of the lane's rows; nil if they are not counted yet.
  var sums: [Int64]?
}
#endif
