internal import GemLedger
internal import SimulatedStores
internal import StoreBackend
internal import StoreClient
internal import Synchronization

/// The store's record of a transaction.
struct StoreFact: Sendable {
  let transaction: StoreTransaction
  /// Whether it was paid for, refunded or not.
  let isPaid: Bool
  /// Whether the store expects no further call for it.
  let isFinished: Bool

  /// Whether the store refunded all of the money.
  var isGivenBack: Bool { transaction.revocation?.extent == .full }
}

/// A device of a simulated store: its storefront for a client, and the restart of its app.
struct DriverDevice: Sendable {
  let storefront: any Storefront
  let inbox: @Sendable () -> UpdateInbox
  let relaunch: @Sendable () -> Void
}

/// A simulated store as the soak plays with it, App-Store-like or Google-Play-like.
protocol StoreDriver: Sendable {
  var store: Store { get }
  /// The controls of a store of either kind.
  var controls: any StoreControls { get }
  var receipts: any SimulatedReceipts { get }
  /// The paid transactions, in the order of paying.
  var paid: PaidList { get }

  func device(account: String, name: String) -> DriverDevice
  func facts() -> [StoreFact]
  func transaction(_ id: StoreTransactionID) -> StoreTransaction?
  /// Returns the newest purchase if it waits for an approval or a payment.
  func newestPending() -> StoreTransactionID?
  func approve(_ id: StoreTransactionID) throws(LedgerError)
  func decline(_ id: StoreTransactionID) throws(LedgerError)
  func refund(_ id: StoreTransactionID, choice: UInt64) throws(LedgerError)
  func reverseRefund(_ id: StoreTransactionID) throws(LedgerError)
  func redeliver(_ id: StoreTransactionID) throws(LedgerError)
  func buyElsewhere(_ product: String, account: String, token: AccountToken) throws(LedgerError)
  /// Redeems a code for the product on a device of the account.
  ///
  /// - Parameter choice: Chooses the offer.
  func redeem(_ product: String, account: String, device: String, choice: UInt64) async throws(LedgerError)
  /// Shares a purchase with an account.
  func share(_ id: StoreTransactionID, with account: String) throws(LedgerError)
}

extension StoreDriver {
  var environment: StoreEnvironment { controls.environment }

  func inject(_ fault: StoreFault) throws(LedgerError) { try controls.inject(fault) }
  func clearFaults() throws(LedgerError) { try controls.clearFaults() }

  /// Takes the store's notices for the backend, and returns their transactions.
  func takeNotices() throws(LedgerError) -> [StoreTransaction] {
    var found: [StoreTransaction] = []
    for notice in try controls.takeNotices(limit: 1000) {
      switch notice {
      case .oneTimeCharge(let evidence), .renewed(let evidence), .refunded(let evidence), .refundReversed(let evidence),
        .revoked(let evidence), .voided(_, let evidence):
        found.append(try receipts.verify(evidence.receipt))
      case .oneTimePurchased(let token): if let transaction = transaction(token) { found.append(transaction) }
      case .consumptionRequest, .refundDeclined, .oneTimeCanceled: break
      }
    }
    return found
  }
}

/// The ids of the paid transactions.
final class PaidList: Sendable {
  private let ids = Mutex<[StoreTransactionID]>([])

  var count: Int { ids.withLock { $0.count } }

  func add(_ id: StoreTransactionID) { ids.withLock { $0.append(id) } }

  /// Returns a paid transaction; half of the time one of the latest, which have most of the events.
  func one(_ choice: UInt64) -> StoreTransactionID? {
    ids.withLock { ids in
      guard !ids.isEmpty else { return nil }
      let range = choice & 1 == 0 ? min(ids.count, 40) : ids.count
      return ids[ids.count - 1 - Int((choice >> 8) % UInt64(range))]
    }
  }
}
