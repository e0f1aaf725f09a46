internal import GemLedger
internal import StoreBackend

/// A change of a shop's state, as a record that outlives the process.
protocol StoreEvent: Sendable {
  func json() -> JSONValue
  init(reading record: ShopRecordReader) throws(LedgerError)
}

/// The values that all records of a shop have in common.
struct StoreIdentity: Hashable, Sendable {
  var store: Store
  var environment: StoreEnvironment
  var bundleID: String
  var seed: UInt64
}

/// The unwritten events of a decision; it stays empty if the store has no event log.
struct StoreEventBuffer<Event: Sendable>: Sendable {
  var isKept = false
  private(set) var events: [Event] = []

  mutating func append(_ event: Event) { if isKept { events.append(event) } }

  mutating func take() -> [Event] {
    guard isKept, !events.isEmpty else { return [] }
    defer { events = [] }
    return events
  }
}

/// A shop as a value: its state is the fold of its events, and every decision is made here, without a clock or a lock.
///
/// Decisions record each event as they go, which applies it at once; the store runtime writes the events before any
/// result is visible.
protocol StoreState: Sendable {
  associatedtype Event: StoreEvent
  associatedtype Settings: ShopSettings

  init(_ identity: StoreIdentity)

  /// The name of the flavour in the first record.
  static var flavour: String { get }
  static func wrap(_ event: CommonStoreEvent) -> Event
  /// Returns the reason why this kind of shop cannot have such faults; nil if it can.
  static func problem(of plan: FaultPlan) -> String?

  var identity: StoreIdentity { get }
  var common: CommonStoreState { get set }
  var log: StoreEventBuffer<Event> { get set }
  var effects: [StoreEffect] { get set }
  var productIndex: ProductListing { get set }
  var settings: Settings { get }
  /// The instant of the next scheduled effect, without held deliveries.
  var nextOwnDue: Timestamp? { get }

  mutating func apply(_ event: Event)
  /// Changes settings, as one event.
  mutating func change(_ body: (inout Settings) -> Void)
  /// Performs the first due effect; false when nothing is due.
  mutating func doNext(notAfter now: Timestamp) -> Bool
  /// The approximate number of events in the snapshot.
  var sizeInRecords: Int { get }
  /// Returns the events that turn an empty shop into this shop.
  func snapshot() -> [Event]
}

extension StoreState {
  static func problem(of plan: FaultPlan) -> String? { nil }

  var generator: StoreGenerator { StoreGenerator(seed: identity.seed) }

  var nextDue: Timestamp? {
    switch (nextOwnDue, common.heldDue.next) {
    case (let own?, let held?): min(own, held)
    case (let own, let held): own ?? held
    }
  }

  mutating func record(_ event: Event) {
    apply(event)
    log.append(event)
  }

  mutating func record(_ event: CommonStoreEvent) { record(Self.wrap(event)) }

  /// Performs all due effects, earliest first.
  mutating func applyDue(now: Timestamp) {
    while let due = nextDue, due <= now {
      if let held = common.heldDue.next, held <= nextOwnDue ?? held {
        if let (_, number) = common.heldDue.pop(notAfter: now) { release(number) }
      } else if !doNext(notAfter: now) {
        return
      }
    }
  }

  /// Returns the effects of the faults on a call, and counts the call if a fault watches it.
  mutating func consult(_ api: StoreAPI, account: String, device: String) -> [StoreFault.Effect] {
    guard !common.faults.armed.isEmpty else { return [] }
    let call = FaultCall(api: api, account: account, device: device)
    guard common.faults.watches(call) else { return [] }
    let effects = common.faults.effects(on: call, generator)
    record(.counted(call))
    return effects
  }

  /// Sends a notice to the backend, unless a fault prevents or delays it.
  mutating func post(
    _ kind: QueuedNotice.Kind, _ transaction: StoreTransaction, of account: String, voided: VoidedPurchase? = nil,
    now: Timestamp
  ) {
    let faults = consult(.notices, account: account, device: "")
    guard faults.failureBefore == nil else { return }
    let notice = QueuedNotice(number: 0, kind: kind, transaction: transaction, voided: voided)
    if let delay = faults.delay { return hold(.notice(notice), until: now.advanced(by: delay)) }
    if faults.contains(.reorder) { return hold(.notice(notice), until: nil) }
    let number = queue(notice)
    if faults.contains(.duplicate) { queue(notice, repeating: number) }
    for held in common.heldBack(account: nil) { release(held.number) }
  }

  /// - Returns: The notice's number.
  @discardableResult
  private mutating func queue(_ notice: QueuedNotice, repeating first: Int64? = nil) -> Int64 {
    var notice = notice
    notice.number = common.lastNotice + 1
    notice.first = first
    record(.notice(notice))
    effects.append(.notice(notice))
    return notice.number
  }

  /// Sends an update to the account's devices, unless a fault prevents or delays it.
  mutating func send(_ update: TransactionUpdate, now: Timestamp) {
    let faults = consult(.updates, account: update.account, device: "")
    guard faults.failureBefore == nil else { return }
    var update = update
    update.unverified = faults.unverified ?? update.unverified
    if let delay = faults.delay { return hold(.update(update), until: now.advanced(by: delay)) }
    if faults.contains(.reorder) { return hold(.update(update), until: nil) }
    effects.append(.deliver(update))
    if faults.contains(.duplicate) { effects.append(.deliver(update)) }
    for held in common.heldBack(account: update.account) { release(held.number) }
  }

  mutating func hold(_ delivery: Delivery, until: Timestamp?) {
    record(.held(HeldDelivery(number: common.lastHeld + 1, delivery: delivery, until: until)))
  }

  mutating func release(_ number: Int64) {
    guard let held = common.held[number] else { return }
    record(.released(number))
    switch held.delivery {
    case .update(let update): effects.append(.deliver(update))
    case .notice(let notice): queue(notice)
    }
  }

  /// Releases all deliveries that were held for the account.
  mutating func releaseAll(account: String) {
    let held = common.held.values.filter { $0.isFor(account) }
    for held in held.sorted(by: { $0.number < $1.number }) { release(held.number) }
  }
}
