internal import GemLedger

/// Converts an export's records to rows: the journal as exported, and every projection recomputed from it.
///
/// It works a page at a time. A full page is written from ``changes``; rows that later pages need are kept or read
/// again. Only the entries are trusted: balances, versions and lots are replayed, and a mismatch is a fault of its
/// line.
final class JournalReplay {
  typealias Account = ReplayedRow<AccountRow>
  typealias Lot = ReplayedRow<LotRow>

  /// The maximum number of accounts and lots kept in memory between pages.
  static let keptCountMax = 200_000

  let isKeyed: Bool
  let isDense: Bool
  let isIncrement: Bool
  var snapshot: any StorageSnapshot
  var changes = ChangeSet()

  let accounts = ReplayedRows<AccountRow>()
  /// Customers whose accounts are all in ``accounts``.
  var knownCustomers: Set<CustomerNumber> = []
  let lots = ReplayedRows<LotRow>()
  var nextEntry: EntryNumber
  /// The last added customer; nil before the first.
  private var lastCustomer: CustomerNumber?

  // Rows of the page that are read before they are written.
  var newCustomers: [CustomerNumber: CustomerRow] = [:]
  var changedCustomers: [CustomerNumber: CustomerRow] = [:]
  var newPurchases: [Int64: PurchaseRow] = [:]
  var purchaseOwners: [Int64: CustomerNumber] = [:]
  var holds: [TransactionNumber: HoldChange] = [:]
  /// In a dry run, the erased customers that the ledger still names; an import would have erased them already.
  var unnamed: Set<CustomerNumber> = []
  /// Purchases with a moved entitlement, for removal from the former owner.
  var movedEntitlements: [Int64] = []
  private var newKeys: Set<KeyID> = []

  private struct KeyID: Hashable {
    let customer: CustomerNumber
    let key: IdempotencyKey
  }

  /// - Parameters:
  ///   - isKeyed: Whether the storage numbers entries by their transactions.
  ///   - isDense: Whether the export's numbers have no gaps.
  ///   - isIncrement: Whether the export continues an existing journal of the storage.
  init(
    _ snapshot: any StorageSnapshot, isKeyed: Bool, isDense: Bool, isIncrement: Bool
  ) throws(LedgerError) {
    self.snapshot = snapshot
    self.isKeyed = isKeyed
    self.isDense = isDense
    self.isIncrement = isIncrement
    nextEntry = try snapshot.sequences().entry + 1
  }

  /// Drops the written page.
  func beginPage(_ snapshot: any StorageSnapshot) {
    self.snapshot = snapshot
    changes = ChangeSet()
    changes.copy = CopyChanges(progress: nil)
    accounts.beginPage()
    lots.beginPage()
    newCustomers.removeAll(keepingCapacity: true)
    changedCustomers.removeAll()
    newPurchases.removeAll()
    purchaseOwners.removeAll()
    holds.removeAll()
    movedEntitlements.removeAll()
    newKeys.removeAll(keepingCapacity: true)
    if accounts.count > Self.keptCountMax {
      accounts.removeAll()
      knownCustomers.removeAll(keepingCapacity: true)
    }
    if lots.count > Self.keptCountMax { lots.removeAll() }
  }

  /// Moves the changes into the change set, in the order of their numbers: a storage writes each of its pages once.
  func endPage() {
    for account in accounts.changedInOrder() {
      if account.isNew { changes.newAccounts.append(account.row) } else { changes.changedAccounts.append(account.row) }
    }
    for lot in lots.changedInOrder() {
      if lot.isNew {
        changes.newLots.append(lot.row)
      } else {
        changes.changedLots.append(lot.row)
        if lot.movedFrom != nil { changes.ownCold.movedLots.append(lot.row) }
      }
    }
    if !changedCustomers.isEmpty {
      changes.ownCold.changedCustomers = changedCustomers.values.sorted { $0.number < $1.number }
    }
    endHolds()
    changes.copy?.purchaseOwners = purchaseOwners
  }

  // MARK: Records

  func add(_ record: ImportRecord) throws(LineFaultOrError) {
    switch record {
    case .header, .end: break
    case .catalog(let versions, let rows):
      changes.catalog = rows
      changes.copy?.catalogVersions = versions
    case .environment(let row): changes.environments.append(row)
    case .customer(let row): try add(row)
    case .purchase(let row):
      changes.purchases.append(row)
      newPurchases[row.number] = row
    case .transaction(let transaction): try add(transaction)
    case .key(let row): try add(row)
    case .addedID(let row):
      try add(row)
    case .evidence(let row): changes.ownCold.evidence.append(row)
    case .order(let row): try add(row)
    case .accountToken(let row):
      let isKnown = try asking { () throws(LedgerError) in
        isIncrement ? try snapshot.customer(token: row.token) != nil : false
      }
      if isKnown { return }
      changes.orders.accountTokens.append(row)
    case .entitlement(let row): try add(row)
    }
  }

  /// An increment with a new added id repeats all added ids.
  private func add(_ row: AddedIDRow) throws(LineFaultOrError) {
    if isIncrement, let known = try asking({ () throws(LedgerError) in try snapshot.customer(row.id) }) {
      guard known.original == row.customer || unnamed.contains(known.original) else {
        throw .fault("The id \"\(row.id)\" is customer \(row.customer)'s here and \(known.original)'s in the ledger.")
      }
      if !unnamed.contains(known.original) { return }
    }
    changes.ownCold.addedIDs.append(row)
  }

  private func add(_ row: CustomerRow) throws(LineFaultOrError) {
    if isIncrement, let known = try asking({ () throws(LedgerError) in try snapshot.customer(number: row.number) }) {
      guard known.id == row.id || unnamed.contains(row.number) && row.id.isOfErased else {
        throw .line(LineFault("Customer \(row.number) is \"\(row.id)\" here and \"\(known.id)\" in the ledger."))
      }
      return
    }
    try checkPlace(of: row)
    newCustomers[row.number] = row
    changes.customers.append(row)
  }

  /// Without gaps, customer numbers are consecutive: storages find rows by number.
  private func checkPlace(of row: CustomerRow) throws(LineFaultOrError) {
    guard isDense else { return }
    var last = lastCustomer ?? 0
    if last == 0 { last = try asking { () throws(LedgerError) in try snapshot.last(.customer) } }
    guard row.number == last + 1 else { throw .fault("Customer \(row.number) follows customer \(last).") }
    lastCustomer = row.number
  }

  private func add(_ row: KeyRow) throws(LineFaultOrError) {
    let hash = KeyHash.of(ByteHash.of(row.key.text), customer: row.customer)
    if isIncrement, !unnamed.contains(row.customer) {
      let known = try asking { () throws(LedgerError) in
        try snapshot.key(row.key, customer: row.customer, hash: hash)
      }
      // Every increment repeats all refusals.
      if known != nil, case .refused = row.outcome { return }
      guard known == nil else { throw .fault("\"key\" is \"\(row.key)\", which the customer has used already.") }
    }
    guard newKeys.insert(KeyID(customer: row.customer, key: row.key)).inserted else {
      throw .fault("\"key\" is \"\(row.key)\", which the customer has used already: it contradicts an earlier line.")
    }
    changes.keys.append(row)
    changes.keyHashes.append(hash)
  }

  private func add(_ row: OrderRow) throws(LineFaultOrError) {
    guard isIncrement, let known = try asking({ () throws(LedgerError) in try snapshot.order(row.code) }) else {
      changes.orders.new.append(row)
      return
    }
    if known != row { changes.orders.changed.append(row) }
  }

  private func add(_ row: EntitlementRow) throws(LineFaultOrError) {
    if isIncrement {
      let known = try asking { () throws(LedgerError) in try snapshot.entitlementHolder(purchase: row.purchase) }
      if known == row.holder { return }
      movedEntitlements.append(row.purchase)
    }
    changes.orders.entitlements.append(row)
  }

  func asking<Answer>(_ body: () throws(LedgerError) -> Answer) throws(LineFaultOrError) -> Answer {
    do throws(LedgerError) { return try body() } catch { throw .ledger(error) }
  }
}

/// The reason why a record could not be added: a fault in the record, or a storage error.
enum LineFaultOrError: Error {
  case line(LineFault)
  case ledger(LedgerError)

  static func fault(_ message: String) -> Self { .line(LineFault(message)) }
}
