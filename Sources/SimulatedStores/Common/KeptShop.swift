internal import GemLedger
internal import StoreBackend

/// A change of a shop's state, as a record that outlives the process.
protocol ShopEvent: Sendable {
  func json() -> JSONValue
  init(reading record: ShopRecordReader) throws(LedgerError)
}

/// The values that all records of a shop have in common.
struct ShopIdentity: Hashable, Sendable {
  var store: Store
  var environment: StoreEnvironment
  var bundleID: String
  var seed: UInt64
}

/// The events of a decision, until they are written; nothing is gathered where nothing is kept.
struct ShopLog<Event: Sendable>: Sendable {
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
protocol KeptShop: Sendable {
  associatedtype Event: ShopEvent
  associatedtype Settings: ShopSettings

  init(_ identity: ShopIdentity)

  /// The name of the flavour in the first record.
  static var flavour: String { get }
  static func wrap(_ event: DeskEvent) -> Event
  /// Why this kind of shop cannot have such faults; nil where it can.
  static func problem(of plan: FaultPlan) -> String?

  var identity: ShopIdentity { get }
  var desk: ShopDesk { get set }
  var log: ShopLog<Event> { get set }
  var effects: [ShopEffect] { get set }
  var shelf: ProductShelf { get set }
  var settings: Settings { get }
  /// When the next scheduled effect is due, held deliveries apart.
  var nextOwnDue: Timestamp? { get }

  mutating func apply(_ event: Event)
  /// Changes settings, as one event.
  mutating func change(_ body: (inout Settings) -> Void)
  /// Performs the first due effect; false when nothing is due.
  mutating func doNext(notAfter now: Timestamp) -> Bool
  /// How many events the snapshot has, about.
  var sizeInRecords: Int { get }
  /// Events that make an empty shop into this one.
  func snapshot() -> [Event]
}

extension KeptShop {
  static func problem(of plan: FaultPlan) -> String? { nil }

  var dice: ShopDice { ShopDice(seed: identity.seed) }

  var nextDue: Timestamp? {
    switch (nextOwnDue, desk.heldDue.next) {
    case (let own?, let held?): min(own, held)
    case (let own, let held): own ?? held
    }
  }

  mutating func record(_ event: Event) {
    apply(event)
    log.append(event)
  }

  mutating func record(_ event: DeskEvent) { record(Self.wrap(event)) }

  /// Performs all due effects, earliest first.
  mutating func settle(now: Timestamp) {
    while let due = nextDue, due <= now {
      if let held = desk.heldDue.next, held <= nextOwnDue ?? held {
        if let (_, number) = desk.heldDue.pop(notAfter: now) { release(number) }
      } else if !doNext(notAfter: now) {
        return
      }
    }
  }

  /// Returns the effects of the faults on a call; counts it where a fault watches.
  mutating func consult(_ api: StoreAPI, account: String, device: String) -> [StoreFault.Effect] {
    guard !desk.faults.armed.isEmpty else { return [] }
    let call = FaultCall(api: api, account: account, device: device)
    guard desk.faults.watches(call) else { return [] }
    let effects = desk.faults.effects(on: call, dice)
    record(.counted(call))
    return effects
  }

  mutating func post(_ kind: QueuedNotice.Kind, _ transaction: StoreTransaction, voided: VoidedPurchase? = nil) {
    let notice = QueuedNotice(
      number: desk.lastNotice + 1, kind: kind, transaction: transaction, voided: voided)
    record(.notice(notice))
    effects.append(.notice(notice))
  }

  /// Sends to the account's devices through their updates, as far as faults let it.
  mutating func send(_ delivery: Delivery, now: Timestamp) {
    let faults = consult(.updates, account: delivery.account, device: "")
    guard faults.failureBefore == nil else { return }
    var delivery = delivery
    delivery.unverified = faults.unverified ?? delivery.unverified
    if let delay = faults.delay { return hold(delivery, until: now.advanced(by: delay)) }
    if faults.contains(.reorder) { return hold(delivery, until: nil) }
    effects.append(.deliver(delivery))
    if faults.contains(.duplicate) { effects.append(.deliver(delivery)) }
    for held in desk.heldBack(account: delivery.account) { release(held.number) }
  }

  mutating func hold(_ delivery: Delivery, until: Timestamp?) {
    record(.held(HeldDelivery(number: desk.lastHeld + 1, delivery: delivery, until: until)))
  }

  mutating func release(_ number: Int64) {
    guard let held = desk.held[number] else { return }
    record(.released(number))
    effects.append(.deliver(held.delivery))
  }

  /// Everything that was held for the account comes now.
  mutating func releaseAll(account: String) {
    let held = desk.held.values.filter { $0.delivery.account.hasBytes(of: account) }
    for held in held.sorted(by: { $0.number < $1.number }) { release(held.number) }
  }
}
