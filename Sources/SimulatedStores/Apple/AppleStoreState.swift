internal import GemLedger
internal import StoreBackend

/// A shop that behaves as the App Store does, as a value.
struct AppleStoreState: StoreState {
  /// A scheduled effect.
  enum ScheduledEvent: Sendable {
    case show(UInt64)
    case subscription(SubscriptionKey)
  }

  /// The shop's state of a store account.
  struct Account: Sendable {
    /// Paid and shown transactions that are not finished.
    var unfinished = OrderedSerials()
    /// Everything paid for and shown.
    var shown = OrderedSerials()
    /// Consumables that are paid for and not finished, shown or not.
    var unfinishedByProduct: [ByteString: OrderedSerials] = [:]
    /// Non-consumables and non-renewing subscriptions, the latest of each.
    var owned: [ByteString: UInt64] = [:]
    /// The latest period of each subscription that a family member shares with it.
    var sharedPeriods: [ByteString: UInt64] = [:]
    /// The products of its subscriptions, ended ones included.
    var subscribed: Set<ByteString> = []
  }

  static let flavour = "apple"

  let identity: StoreIdentity
  var productIndex: ProductListing
  var common = CommonStoreState()
  var log = StoreEventBuffer<AppleEvent>()
  var effects: [StoreEffect] = []
  private(set) var settings = AppleSettings()
  /// Whether a setting was ever recorded.
  private(set) var hasSettings = false
  private(set) var rows: [UInt64: AppleRow] = [:]
  private(set) var accounts: [ByteString: Account] = [:]
  private(set) var subscriptions: [SubscriptionKey: AppleSubscription] = [:]
  /// The transactions of family members, by those that they share.
  private(set) var shares: [UInt64: [UInt64]] = [:]
  /// Transactions that no list shows yet.
  private(set) var hidden: Set<UInt64> = []
  private(set) var lastSerial: UInt64 = 0
  private var due = ScheduledEvents<ScheduledEvent>()

  init(_ identity: StoreIdentity) {
    self.identity = identity
    productIndex = ProductListing([], at: identity.store)
  }

  static func wrap(_ event: CommonStoreEvent) -> AppleEvent { .common(event) }

  var nextOwnDue: Timestamp? { due.next }

  var sizeInRecords: Int { rows.count + subscriptions.count + common.waitingNotices.count }

  mutating func apply(_ event: AppleEvent) {
    switch event {
    case .settings(let settings):
      self.settings = settings
      hasSettings = true
    case .row(let row): apply(row)
    case .finished(let serial): finishRow(serial)
    case .deleted(let serial): delete(serial)
    case .subscription(let subscription): apply(subscription)
    case .subscriptionDeleted(let key):
      subscriptions[key] = nil
      accounts[key.accountName]?.subscribed.remove(key.product)
    case .serial(let serial): lastSerial = max(lastSerial, serial)
    case .common(let event): common.apply(event)
    }
  }

  func snapshot() -> [AppleEvent] {
    var events: [AppleEvent] = [.settings(settings), .serial(lastSerial)]
    events += rows.values.sorted { $0.serial < $1.serial }.map(AppleEvent.row)
    let keys = subscriptions.keys.sorted { ($0.account, $0.productID) < ($1.account, $1.productID) }
    events += keys.compactMap { subscriptions[$0].map(AppleEvent.subscription) }
    return events + common.snapshot().map(AppleEvent.common)
  }

  mutating func doNext(notAfter now: Timestamp) -> Bool {
    guard let (at, item) = due.pop(notAfter: now) else { return false }
    switch item {
    case .show(let serial): show(serial, at: at)
    case .subscription(let key): applyDue(key, at: at)
    }
    return true
  }
}

// The effects of events on the rows and on the data derived from them.
extension AppleStoreState {
  private mutating func apply(_ row: AppleRow) {
    if rows[row.serial] != nil { unlist(row.serial) }
    lastSerial = max(lastSerial, row.serial)
    if let until = row.hiddenUntil {
      due.add(.show(row.serial), at: until)
      hidden.insert(row.serial)
    } else if !hidden.isEmpty {
      hidden.remove(row.serial)
    }
    if let shared = row.sharedSerial, rows[row.serial] == nil { shares[shared, default: []].append(row.serial) }
    list(row)
    rows[row.serial] = row
  }

  private mutating func apply(_ subscription: AppleSubscription) {
    let key = subscription.key
    subscriptions[key] = subscription
    accounts[key.accountName, default: Account()].subscribed.insert(key.product)
    if let next = subscription.nextDue { due.add(.subscription(key), at: next) }
  }

  private mutating func delete(_ serial: UInt64) {
    unlist(serial)
    if let shared = rows[serial]?.sharedSerial { shares[shared]?.removeAll { $0 == serial } }
    rows[serial] = nil
    hidden.remove(serial)
  }

  private mutating func finishRow(_ serial: UInt64) {
    guard let index = rows.index(forKey: serial), !rows.values[index].isFinished else { return }
    rows.values[index].isFinished = true
    let row = rows.values[index]
    accounts[ByteString(row.account)]?.finish(serial, ByteString(row.transaction.storeProductID))
  }

  private mutating func list(_ row: AppleRow) {
    guard row.isPurchased else { return }
    accounts[ByteString(row.account), default: Account()].list(row)
  }

  private mutating func unlist(_ serial: UInt64) {
    guard let row = rows[serial], row.isPurchased else { return }
    accounts[ByteString(row.account)]?.unlist(row)
  }
}

extension AppleStoreState.Account {
  fileprivate mutating func list(_ row: AppleRow) {
    let product = ByteString(row.transaction.storeProductID)
    if row.isShown { shown.insert(row.serial) }
    if row.isUnfinished { unfinished.insert(row.serial) }
    switch row.transaction.productType.kind {
    case .consumable:
      if !row.isFinished { unfinishedByProduct[product, default: OrderedSerials()].insert(row.serial) }
    case .nonConsumable, .nonRenewingSubscription: owned[product] = max(row.serial, owned[product] ?? 0)
    case .autoRenewableSubscription:
      if row.sharedSerial != nil { sharedPeriods[product] = max(row.serial, sharedPeriods[product] ?? 0) }
    }
  }

  fileprivate mutating func unlist(_ row: AppleRow) {
    let product = ByteString(row.transaction.storeProductID)
    shown.remove(row.serial)
    finish(row.serial, product)
    if owned[product] == row.serial { owned[product] = nil }
    if sharedPeriods[product] == row.serial { sharedPeriods[product] = nil }
  }

  fileprivate mutating func finish(_ serial: UInt64, _ product: ByteString) {
    unfinished.remove(serial)
    unfinishedByProduct[product]?.remove(serial)
    if unfinishedByProduct[product]?.isEmpty == true { unfinishedByProduct[product] = nil }
  }
}

// Names of transactions.
extension AppleStoreState {
  // Sixteen digits that begin like the App Store's; the seed chooses the first number.
  private var firstID: UInt64 { 2_000_000_000_000_000 + generator.draw(0) % 9_000_000 * 100_000_000 }

  /// The id of a transaction: larger for each next one, by up to a hundred.
  func id(_ serial: UInt64) -> StoreTransactionID {
    StoreTransactionID(unchecked: String(firstID + serial * 100 + generator.draw(serial) % 100))
  }

  /// The serial number in an id of this shop.
  func serial(_ id: StoreTransactionID) -> UInt64? {
    guard let number = UInt64(id.text), number >= firstID else { return nil }
    let serial = (number - firstID) / 100
    return number == firstID + serial * 100 + generator.draw(serial) % 100 ? serial : nil
  }

  func row(_ id: StoreTransactionID) -> AppleRow? { serial(id).flatMap { rows[$0] } }
}
