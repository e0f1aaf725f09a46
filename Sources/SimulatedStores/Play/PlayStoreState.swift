internal import GemLedger
internal import StoreBackend

/// A shop that behaves as Google Play does, as a value.
///
/// It shares no rule with the App-Store-like one: a purchase is its token, the app has three days to acknowledge or
/// consume it, and an owned product cannot be bought again.
struct PlayStoreState: StoreState {
  /// A scheduled effect.
  enum ScheduledEvent: Sendable {
    /// A slow payment ends.
    case payment(UInt64)
    /// The time to acknowledge it is over.
    case deadline(UInt64)
    case show(UInt64)
    /// A subscription's period ends.
    case period(UInt64)
  }

  struct Account: Sendable {
    var unfinished = OrderedSerials()
    var listed = OrderedSerials()
    /// Owned purchases by product: these products cannot be bought meanwhile.
    var ownedByProduct: [ByteString: UInt64] = [:]
  }

  static let flavour = "google"

  let identity: StoreIdentity
  var productIndex: ProductListing
  var common = CommonStoreState()
  var log = StoreEventBuffer<PlayEvent>()
  var effects: [StoreEffect] = []
  private(set) var settings = PlaySettings()
  private(set) var rows: [UInt64: PlayRow] = [:]
  private(set) var accounts: [ByteString: Account] = [:]
  private(set) var serials: [StoreTransactionID: UInt64] = [:]
  /// The voided purchases, in the order in which they were voided.
  private(set) var voided: [VoidedPurchase] = []
  /// Purchases that no list shows yet.
  private(set) var hidden: Set<UInt64> = []
  private(set) var lastSerial: UInt64 = 0
  private var due = ScheduledEvents<ScheduledEvent>()

  init(_ identity: StoreIdentity) {
    self.identity = identity
    productIndex = ProductListing([], at: identity.store)
  }

  static func wrap(_ event: CommonStoreEvent) -> PlayEvent { .common(event) }

  static func problem(of plan: FaultPlan) -> String? {
    plan.faults.contains { $0.effect == .interrupt } ? "Google Play knows no interrupted purchases." : nil
  }

  var nextOwnDue: Timestamp? { due.next }

  var sizeInRecords: Int { rows.count + common.waitingNotices.count }

  mutating func apply(_ event: PlayEvent) {
    switch event {
    case .settings(let settings): self.settings = settings
    case .row(let row): apply(row)
    case .acknowledged(let serial): update(serial) { $0.isAcknowledged = true }
    case .consumed(let serial):
      update(serial) { row in
        row.isConsumed = true
        row.isAcknowledged = true
      }
    case .deleted(let serial): delete(serial)
    case .serial(let serial): lastSerial = max(lastSerial, serial)
    case .common(let event): common.apply(event)
    }
  }

  func snapshot() -> [PlayEvent] {
    let rows = rows.values.sorted { $0.serial < $1.serial }.map(PlayEvent.row)
    return [.settings(settings), .serial(lastSerial)] + rows + common.snapshot().map(PlayEvent.common)
  }

  mutating func doNext(notAfter now: Timestamp) -> Bool {
    guard let (at, item) = due.pop(notAfter: now) else { return false }
    switch item {
    case .payment(let serial): endPayment(serial, at: at)
    case .deadline(let serial): missDeadline(serial, at: at)
    case .show(let serial): show(serial, at: at)
    case .period(let serial): endPeriod(serial, at: at)
    }
    return true
  }
}

// The effects of events on the rows and on the data derived from them.
extension PlayStoreState {
  private mutating func apply(_ row: PlayRow) {
    let old = rows[row.serial]
    if let old { unlist(old) }
    lastSerial = max(lastSerial, row.serial)
    serials[row.transaction.id] = row.serial
    schedule(row, old)
    addVoided(row, old)
    if row.hiddenUntil != nil { hidden.insert(row.serial) } else if !hidden.isEmpty { hidden.remove(row.serial) }
    list(row)
    rows[row.serial] = row
  }

  /// Only changed instants are scheduled.
  private mutating func schedule(_ row: PlayRow, _ old: PlayRow?) {
    if let until = row.pendingUntil, until != old?.pendingUntil { due.add(.payment(row.serial), at: until) }
    if let deadline = row.deadline, deadline != old?.deadline { due.add(.deadline(row.serial), at: deadline) }
    if let until = row.hiddenUntil, until != old?.hiddenUntil { due.add(.show(row.serial), at: until) }
    // A pending row has an end too, and nothing is scheduled for it.
    if row.isPaid, row.period != nil, let end = row.transaction.expiresAt,
      old?.isPaid != true || end != old?.transaction.expiresAt
    {
      due.add(.period(row.serial), at: end)
    }
  }

  private mutating func addVoided(_ row: PlayRow, _ old: PlayRow?) {
    for purchase in row.voided.dropFirst(old?.voided.count ?? 0) {
      // A snapshot lists rows in the order of purchases, not in the order of voiding.
      let position = voided.lastIndex { $0.voidedAt <= purchase.voidedAt }.map { $0 + 1 } ?? 0
      voided.insert(purchase, at: position)
    }
  }

  private mutating func update(_ serial: UInt64, _ body: (inout PlayRow) -> Void) {
    guard var row = rows[serial] else { return }
    unlist(row)
    body(&row)
    list(row)
    rows[serial] = row
  }

  private mutating func delete(_ serial: UInt64) {
    guard let row = rows.removeValue(forKey: serial) else { return }
    unlist(row)
    hidden.remove(serial)
    serials[row.transaction.id] = nil
    voided.removeAll { $0.purchaseToken == row.transaction.id }
  }

  private mutating func list(_ row: PlayRow) {
    let product = ByteString(row.transaction.storeProductID)
    guard row.isOwned else { return }
    accounts[ByteString(row.account), default: Account()].ownedByProduct[product] = row.serial
    if row.isListed { accounts[ByteString(row.account)]?.listed.insert(row.serial) }
    if row.isUnfinished { accounts[ByteString(row.account)]?.unfinished.insert(row.serial) }
  }

  private mutating func unlist(_ row: PlayRow) {
    guard row.isOwned else { return }
    let (account, product) = (ByteString(row.account), ByteString(row.transaction.storeProductID))
    accounts[account]?.listed.remove(row.serial)
    accounts[account]?.unfinished.remove(row.serial)
    if accounts[account]?.ownedByProduct[product] == row.serial { accounts[account]?.ownedByProduct[product] = nil }
  }
}

// Names of purchases.
extension PlayStoreState {
  /// A purchase token: as long and as random as Google's.
  func token(_ serial: UInt64) -> StoreTransactionID {
    let head = text(24, "abcdefghijklmnop", serial, purpose: 1)
    let tail = text(86, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", serial, purpose: 2)
    return StoreTransactionID(unchecked: "\(head).AO-J1O\(tail)")
  }

  /// An order id, such as `GPA.3312-3456-7890-12345`.
  func orderID(_ serial: UInt64) -> String {
    let digits = text(17, "0123456789", serial, purpose: 3)
    let parts = [digits.prefix(4), digits.dropFirst(4).prefix(4), digits.dropFirst(8).prefix(4), digits.suffix(5)]
    return "GPA." + parts.joined(separator: "-")
  }

  private func text(_ count: Int, _ letters: StaticString, _ serial: UInt64, purpose: UInt64) -> String {
    String(unsafeUninitializedCapacity: count) { buffer in
      for index in 0..<count {
        let number = generator.draw(serial &* 128 &+ UInt64(index), for: purpose)
        buffer[index] = letters.utf8Start[Int(number % UInt64(letters.utf8CodeUnitCount))]
      }
      return count
    }
  }

  func row(_ token: StoreTransactionID) -> PlayRow? { serials[token].flatMap { rows[$0] } }
}
