internal import GemLedger
internal import StoreBackend
internal import StoreClient

/// A transaction on its way to devices.
struct TransactionUpdate: Hashable, Sendable {
  var transaction: StoreTransaction
  var account: String
  /// The device that knows it already.
  var exceptDevice: String?
  /// The only device that receives it.
  var onlyDevice: String?
  var unverified: VerificationFailure?

  func isFor(_ name: DeviceName) -> Bool {
    account.hasBytes(of: name.account) && !(exceptDevice?.hasBytes(of: name.device) ?? false)
      && onlyDevice?.hasBytes(of: name.device) ?? true
  }
}

/// A delivery to the devices of an account, or to the backend.
enum Delivery: Hashable, Sendable {
  case update(TransactionUpdate)
  case notice(QueuedNotice)

  /// The account of an update; nil for a notice, since the backend is one receiver.
  var account: String? { if case .update(let update) = self { update.account } else { nil } }
}

/// A delivery that waits for its time, or, without one, for the next delivery to the same receiver.
struct HeldDelivery: Hashable, Sendable {
  var number: Int64
  var delivery: Delivery
  var until: Timestamp?

  /// Whether it is for the account, or, without one, for the backend.
  func isFor(_ account: String?) -> Bool {
    guard let account else { return delivery.account == nil }
    return delivery.account?.hasBytes(of: account) ?? false
  }
}

/// A notice that no backend has taken yet; it is signed when it is read.
struct QueuedNotice: Hashable, Sendable {
  enum Kind: String, Sendable, CaseIterable {
    case oneTimeCharge = "one_time_charge"
    case renewed
    case refunded
    case refundReversed = "refund_reversed"
    case revoked
    case consumptionRequest = "consumption_request"
    case refundDeclined = "refund_declined"
    case oneTimePurchased = "one_time_purchased"
    case oneTimeCanceled = "one_time_canceled"
    case voided
  }

  /// 0 until it is sent.
  var number: Int64
  var kind: Kind
  var transaction: StoreTransaction
  var voided: VoidedPurchase?
  /// The number of the first delivery, if this notice repeats it.
  var first: Int64?
}

/// The state that both kinds of shop share in addition to purchases: faults, held deliveries, notices and the clock.
struct CommonStoreState: Sendable {
  /// The maximum number of notices that wait for a backend; the oldest is dropped first.
  static let noticesMax = 10_000

  private(set) var faults = ArmedFaults()
  private(set) var held: [Int64: HeldDelivery] = [:]
  private(set) var clockReading: Int64?
  private(set) var notices: [QueuedNotice] = []
  private var noticeHead = 0
  private(set) var lastNotice: Int64 = 0
  private(set) var lastHeld: Int64 = 0
  /// The due times of held deliveries; a delivery that was released early is still in it.
  var heldDue = ScheduledEvents<Int64>()

  var waitingNotices: ArraySlice<QueuedNotice> { notices[noticeHead...] }

  mutating func apply(_ event: CommonStoreEvent) {
    switch event {
    case .faults(let armed): faults.replace(with: armed)
    case .counted(let call): faults.count(call)
    case .held(let delivery):
      held[delivery.number] = delivery
      lastHeld = max(lastHeld, delivery.number)
      if let until = delivery.until { heldDue.add(delivery.number, at: until) }
    case .released(let number): held[number] = nil
    case .notice(let notice): add(notice)
    case .noticesTaken(let number): takeNotices(through: number)
    case .clock(let reading): clockReading = reading
    }
  }

  /// The deliveries to an account, or to the backend, that wait for the next one, in the order in which they were held.
  func heldBack(account: String?) -> [HeldDelivery] {
    guard !held.isEmpty else { return [] }
    return held.values.filter { $0.until == nil && $0.isFor(account) }.sorted { $0.number < $1.number }
  }

  func snapshot() -> [CommonStoreEvent] {
    var events: [CommonStoreEvent] = []
    if let clockReading { events.append(.clock(clockReading)) }
    if !faults.armed.isEmpty { events.append(.faults(faults.armed)) }
    events += held.values.sorted { $0.number < $1.number }.map(CommonStoreEvent.held)
    events += waitingNotices.map(CommonStoreEvent.notice)
    if waitingNotices.isEmpty, lastNotice > 0 { events.append(.noticesTaken(lastNotice)) }
    return events
  }

  private mutating func add(_ notice: QueuedNotice) {
    notices.append(notice)
    lastNotice = max(lastNotice, notice.number)
    if waitingNotices.count > Self.noticesMax { noticeHead += 1 }
    tidyNotices()
  }

  private mutating func takeNotices(through number: Int64) {
    lastNotice = max(lastNotice, number)
    while noticeHead < notices.count, notices[noticeHead].number <= number { noticeHead += 1 }
    tidyNotices()
  }

  private mutating func tidyNotices() {
    guard noticeHead == notices.count || noticeHead > Self.noticesMax else { return }
    notices.removeFirst(noticeHead)
    noticeHead = 0
  }
}

/// A change of the shared store state.
enum CommonStoreEvent: Sendable {
  case faults([ArmedFault])
  case counted(FaultCall)
  case held(HeldDelivery)
  case released(Int64)
  case notice(QueuedNotice)
  case noticesTaken(Int64)
  case clock(Int64)
}

/// An effect outside of the shop, performed once its records are durable.
enum StoreEffect: Sendable {
  case deliver(TransactionUpdate)
  case notice(QueuedNotice)
  case step(StoreStep)
}
