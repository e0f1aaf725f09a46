#if PostgreSQL
internal import GemLedger

/// The rows that a group fetched in one round trip, before its first command was decided.
///
/// A row that is not here though its customer was fetched is not in the database either.
final class Prefetched {
  /// Which customers' rows, accounts and first open lots are here.
  var customers: [CustomerNumber: CustomerRow] = [:]
  var fetched: Set<CustomerNumber> = []
  /// Customers that the group itself made: they have no rows yet.
  var made: Set<CustomerNumber> = []
  /// Customers with their pooled lots here, as far as those have rows of their own.
  var pooled: Set<CustomerNumber> = []
  var pooledLots: [AccountNumber: [LotRow]] = [:]
  var accounts: [AccountNumber: AccountRow] = [:]
  /// The first page of open lots of each account and class that has any.
  var openLots: [LotStream: [LotRow]] = [:]
  /// Customers without fetched first pages, though an account of theirs has open lots.
  var unfetchedLots: Set<CustomerNumber> = []
  /// The customers that the ids of the group's commands name; nil for an unused id.
  var addresses: [CustomerID: CustomerDirectory.CustomerAddress?] = [:]
  var keys: [KeyAddress: KeyRow] = [:]
  /// Which keys were looked up, found or not.
  var askedKeys: Set<KeyAddress> = []
  var claims: [PurchaseIdentity: StoreClaim] = [:]
  /// The numbers of the environments of the group's store transactions.
  var environments: [StoreEnvironment: Int64] = [:]
  var evidence: [PurchaseIdentity: [RefundEvidenceRow]] = [:]
  /// Entitlement owners, of the entitlements that were looked at.
  var holders: [Int64: CustomerNumber] = [:]
  /// The customer under which a lot's row was loaded.
  var lotOwners: [LotNumber: CustomerNumber] = [:]
  /// The customer of an open hold, of those that were looked at.
  var holdOwners: [TransactionNumber: CustomerNumber] = [:]
  /// The customer that a purchase was credited to, of those that were looked at.
  var purchaseOwners: [Int64: CustomerNumber] = [:]

  /// The earlier transactions that the group's commands are about.
  let booked = EarlierTransactions()
  /// Customers with erased ids: a remembered id of theirs may be out of date.
  var erased: Set<CustomerNumber> = []
  /// Ids beside their first ones, of those that were asked about.
  var addedIDs: [CustomerNumber: [CustomerID]] = [:]
  /// The open holds, and below the counts, of the customers that were asked about.
  var heldBy: [CustomerNumber: [HoldRow]] = [:]
  var counts: [CustomerNumber: [CountKey: CountRow]] = [:]
  /// How many of an item customers own, of those that were asked about.
  var owned: [ItemID: [CustomerNumber: Int64]] = [:]
  /// The refunds of purchases that currency came back to, and their parts.
  var refunds: [Int64: [RefundRow]] = [:]
  var refundParts: [TransactionNumber: [RefundPartRow]] = [:]

  /// How many lots of a class one account's first page has; the engine's own first page.
  static let lotsPerPage = 32

  struct KeyAddress: Hashable {
    let customer: CustomerNumber
    let key: IdempotencyKey
  }

  struct LotStream: Hashable {
    let account: AccountNumber
    let paid: Bool
  }

  /// A store transaction: while it is not credited, no other group credits it during this group.
  struct StoreClaim {
    var customer: CustomerNumber
    /// 0 where it is not credited yet.
    var purchase: Int64
  }

  func keep(key rows: PostgresRows, _ row: Int, _ storage: String) throws(LedgerError) {
    let key = rows.withBytes(row, 1) { PostgresKey.key($0) }
    let customer = rows.integer(row, 0)
    keys[KeyAddress(customer: customer, key: key)] = KeyRow(
      customer: customer, key: key,
      fingerprint: Fingerprint(asked: rows.integer(row, 2), qualifiers: rows.integer(row, 3)),
      outcome: try rows.keyOutcome(row, 4, storage))
  }

  func found(_ id: CustomerID) -> FoundCustomer?? {
    guard let known = addresses[id] else { return nil }
    guard let address = known else { return .some(nil) }
    guard let row = customers[address.survivingCustomer] else { return nil }
    return FoundCustomer(row, original: address.original)
  }
}

/// Where the lanes that a group holds stand.
struct LaneHead: Sendable {
  var lane: Int
  var last: Int64
  var createdAt: Int64
  var catalogVersion: Int64
  /// The sums of the lane's rows; nil where they are not counted yet.
  var sums: [Int64]?
}
#endif
