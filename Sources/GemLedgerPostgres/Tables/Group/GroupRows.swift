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
  /// The numbers of the environments of the group's store transactions.
  var environments: [StoreEnvironment: Int64] = [:]
  var evidence: [PurchaseIdentity: [EvidenceRow]] = [:]
  var guess = FirstGuess()
  var purchasesByNumber: [Int64: PurchaseRow] = [:]
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

  struct OwnedItem: Hashable {
    let customer: CustomerNumber
    let item: ItemID
  }

  /// A store transaction: while it is not credited, no other group can credit it during this group.
  struct StoreClaim {
    var customer: CustomerNumber
    /// The purchase number; 0 if it is not credited yet.
    var purchase: Int64
  }

  // MARK: Look-ups

  lazy var aliases = lookup(arrived: GroupRows.arrived(named:_:)) { ids, _ in
    [PostgresRequest("SELECT id, customer FROM aliases WHERE id = ANY($1)") { $0.add(ids, text: \.text) }]
  } read: {
    (CustomerID(unchecked: $0.text($1, 0)), $0.integer($1, 1))
  }
  lazy var customers = lookup(arrived: GroupRows.arrived(customer:_:), CustomerStatements.customersWithAccounts) {
    [unowned self] in keep(customer: $0, $1)
  }
  lazy var firstLots = lookup(arrived: GroupRows.arrived(lotsOf:_:), CustomerStatements.firstLots) {
    let lot = LotRow.read($0, $1)
    return (lot.account.customer, lot)
  }
  lazy var keys = lookup(arrived: GroupRows.arrived(key:_:), KeyStatements.requests) {
    [unowned self] (rows, row) throws(LedgerError) in
    let row = try KeyStatements.read(rows, row, storageName)
    return (KeyAddress(customer: row.customer, key: row.key), row)
  }
  lazy var owned = lookup(CustomerStatements.ownedItems) {
    let row = OwnedItemRow.read($0, $1)
    return (OwnedItem(customer: row.customer, item: row.item), row)
  }
  lazy var located = lookup(arrived: GroupRows.arrived(transaction:_:), LocatingStatements.requests) {
    let found = LocatingStatements.located($0, $1)
    return (found.row.number, found)
  }
  // A distributed engine cannot follow a reference within a statement.
  lazy var locatedEntries = lookup(arrived: GroupRows.arrived(entriesOfLocated:_:), LocatingStatements.entries) {
    let row = EntryRow.read($0, $1)
    return (row.transaction, row)
  }
  lazy var locatedAllocations = lookup(
    arrived: GroupRows.arrived(allocationsOfLocated:_:), LocatingStatements.allocations
  ) {
    let row = AllocationRow.read($0, $1)
    return (Numbering.transaction(of: row.entry), row)
  }
  lazy var ordersOfCodes = lookup(arrived: GroupRows.arrived(orderOf:_:), PurchaseStatements.ordersByCodes) {
    (PurchaseCode(unchecked: $0.text($1, $0.columnCount - 1)), OrderRow.read($0, $1))
  }

  // MARK: Rows of customers

  lazy var merged = ofCustomers(
    MergedCustomerRow.columns, "merged_customers", order: "merged", arrived: GroupRows.arrived(mergedInto:_:),
    MergedCustomerRow.read)
  lazy var merges = ofCustomers(
    MergeRow.stored, "merges", order: "transaction_number", arrived: GroupRows.arrived(mergesInto:_:), MergeRow.read)
  lazy var addedIDs = ofCustomers(AddedIDRow.columns, "added_ids", order: "id", AddedIDRow.read)
  lazy var counts = ofCustomers(CountRow.columns, "counters", order: "kind, subject", CountRow.read)
  lazy var holdsOf = ofCustomers(
    HoldRow.columns, "open_holds", order: "deadline, hold", arrived: GroupRows.arrived(holdsOf:_:), HoldRow.read)
  /// The events with the remaining amounts of open holds of several lots.
  lazy var heldEvents = lookup(arrived: GroupRows.arrived(heldEventsOf:_:), CustomerStatements.heldEvents) {
    let event = JournalEventRow.read($0, $1)
    return (event.customer, event)
  }
  lazy var ownedItems = ofCustomers(OwnedItemRow.columns, "owned_items", order: "item", OwnedItemRow.read)
  lazy var pooledLots = ofCustomers(
    LotRow.columns, "lots", " AND purchase IS NULL AND expires_at = 9223372036854775807 AND price IS NULL",
    order: "lot", arrived: GroupRows.arrived(lotsOf:_:), LotRow.read)

  // MARK: Rows by customer and number

  lazy var transactions = owned(
    .init(TransactionRow.columns, "transactions", "number"), arrived: GroupRows.arrived(transactionAt:_:),
    TransactionRow.read)
  /// Entries, each with older entries of its customer: histories are read from new to old.
  lazy var entryPages = lookup(arrived: GroupRows.arrived(entriesUpTo:_:), EntryStatements.pages) {
    let last = $0.columnCount
    return (RowAddress($0.integer($1, last - 1), of: $0.integer($1, last - 2)), EntryRow.read($0, $1))
  }
  lazy var entries = owned(
    .ofTransaction(EntryRow.columns, "entries", "number"), arrived: GroupRows.arrived(entriesOf:_:), EntryRow.read)
  lazy var allocations = owned(
    .ofTransaction(AllocationRow.columns, "allocations", "entry"), arrived: GroupRows.arrived(allocationsOf:_:),
    AllocationRow.read)
  lazy var items = owned(
    .init(ItemEntryRow.columns, "item_entries", "transaction_number"), arrived: GroupRows.arrived(itemsOf:_:),
    ItemEntryRow.read)
  lazy var ownEvents = owned(
    .init(JournalEventRow.columns, "journal_events", "transaction_number"), JournalEventRow.read)
  lazy var laterEvents = owned(
    .init(JournalEventRow.columns, "journal_events", "target", " AND target <> 0"),
    arrived: GroupRows.arrived(eventsAbout:_:), JournalEventRow.read)
  lazy var holds = owned(
    .init(HoldRow.columns, "open_holds", "hold"), arrived: GroupRows.arrived(hold:_:), HoldRow.read)
  lazy var lots = owned(.init(LotRow.columns, "lots", "lot"), arrived: GroupRows.arrived(lot:_:), LotRow.read)
  lazy var lotAttributes = owned(
    .init(LotAttributesRow.columns, "lot_attributes", "lot"), LotAttributesRow.read)
  /// The attributes of a lot and its original lots; a single server finds a lot without its customer.
  lazy var lineages = lookup(arrived: GroupRows.arrived(lineageOf:_:), LineageStatements.attributes) {
    ($0.integer($1, $0.columnCount - 1), LotAttributesRow.read($0, $1))
  }
  lazy var purchases = owned(.purchases, arrived: GroupRows.arrived(purchases:_:), PurchaseRow.read)
  /// By the lots that they paid for, regardless of later transfers.
  lazy var purchasesOfLots = lookup(arrived: GroupRows.arrived(purchasesOf:_:), LineageStatements.purchases) {
    ($0.integer($1, $0.columnCount - 1), PurchaseRow.read($0, $1))
  }
  lazy var purchasesAnywhere = lookup(arrived: GroupRows.arrived(purchaseAnywhere:_:), PurchaseStatements.byNumbers) {
    let row = PurchaseRow.read($0, $1)
    return (row.number, row)
  }
  lazy var refunds = owned(
    .init(RefundRow.columns, "refunds", "purchase"), arrived: GroupRows.arrived(refundsOf:_:), RefundRow.read)
  /// By the refunded purchases; a distributed engine cannot follow a reference within a statement.
  lazy var partsOfPurchase = owned(
    .init(RefundPartRow.columns, RefundPartRow.ofPurchase, "purchase"), arrived: GroupRows.arrived(partsOf:_:),
    RefundPartRow.read)
  lazy var refundParts = owned(
    .init(RefundPartRow.columns, RefundPartRow.source, "transaction_number"), RefundPartRow.read)

  /// - Parameter arrived: Called with received rows, which may refer to others.
  private func lookup<Key: Hashable, Row>(
    arrived: @escaping (GroupRows) -> (Key, [Row]) -> Void = { _ in { _, _ in } },
    _ requests: @escaping ([Key], LaneLayout) -> [PostgresRequest],
    read: @escaping (PostgresRows, Int) throws(LedgerError) -> (Key, Row)
  ) -> RowLookup<Key, Row> {
    let lookup = RowLookup<Key, Row>(
      { [layout] in requests($0, layout) }, arrived: { [unowned self] in arrived(self)($0, $1) }, read: read)
    lookups.append(lookup)
    return lookup
  }

  private func ofCustomers<Row>(
    _ columns: String, _ table: String, _ condition: String = "", order: String,
    arrived: @escaping (GroupRows) -> (CustomerNumber, [Row]) -> Void = { _ in { _, _ in } },
    _ read: @escaping (PostgresRows, Int) -> Row
  ) -> RowLookup<CustomerNumber, Row> {
    let sql = "SELECT \(columns), customer FROM \(table) WHERE customer = ANY($1)\(condition) ORDER BY \(order)"
    return lookup(arrived: arrived) { customers, _ in
      [PostgresRequest(sql) { $0.add(customers) { $0 } }]
    } read: {
      ($0.integer($1, $0.columnCount - 1), read($0, $1))
    }
  }

  private func owned<Row>(
    _ table: OwnedTable, arrived: @escaping (GroupRows) -> (RowAddress, [Row]) -> Void = { _ in { _, _ in } },
    _ read: @escaping (PostgresRows, Int) -> Row
  ) -> RowLookup<RowAddress, Row> {
    lookup(arrived: arrived, table.requests) {
      let last = $0.columnCount
      return (RowAddress($0.integer($1, last - 1), of: $0.integer($1, last - 2)), read($0, $1))
    }
  }

  // MARK: Customers that the group makes

  func make(_ customer: CustomerNumber) {
    made.insert(customer)
    customers.set(customer, to: [])
  }

  /// Returns the rows of a customer, without a look-up if the group created the customer.
  func rows<Row>(
    _ lookup: RowLookup<CustomerNumber, Row>, of customer: CustomerNumber
  ) throws(LedgerError) -> [Row] {
    made.contains(customer) ? [] : try lookup.rows(customer)
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
    let asked = lookups.map { ($0, $0.takeRequests()) }.filter { !$0.1.isEmpty }
    let statements = Array(wantedStatements)
    wantedStatements = [:]
    let requests = claims.flatMap(\.requests) + asked.flatMap(\.1) + statements.map(\.value)
    guard !requests.isEmpty else { return false }
    var rest = try session.ask(requests)[...]
    for query in claims {
      for _ in query.requests {
        let rows = rest.removeFirst()
        for row in 0..<rows.count { query.keep(self, rows, row) }
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
  let keep: (GroupRows, PostgresRows, Int) -> Void
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
