internal import GemLedger
internal import StoreBackend
internal import StoreClient
internal import Synchronization

/// The store runtime of a shop: lock, clock, event log and streams around its decisions.
final class StoreEngine<Shop: StoreState>: ClockAlarm {
  private struct State {
    var shop: Shop
    /// Decided records that are not durable yet; they are written before anything else.
    var unwritten: [String] = []
    var recordCount = 0
    var updates = UpdateStreamList<TransactionUpdate>()
    var notices = UpdateStreamList<QueuedNotice>()
    /// Decided effects that were not yet handed to the readers, in the order of the decisions.
    var outbox: [Dispatch] = []
    var lastDispatch: UInt64 = 0
    /// The devices on which the app has asked for updates since it was started.
    var launched: Set<DeviceName> = []
    var onStep: (@Sendable (StoreStep) -> Void)?
    var timer: (due: Timestamp, task: Task<Void, Never>)?
  }

  /// The effects of one decision, and the streams that were open at that moment; later streams read the shop.
  private struct Dispatch {
    let number: UInt64
    let effects: [StoreEffect]
    let updates: [UpdateStream<TransactionUpdate>]
    let notices: [UpdateStream<QueuedNotice>]
    /// Whether its steps were reported; deliveries follow the steps.
    var isReady = false

    func deliver() {
      for effect in effects {
        switch effect {
        case .deliver(let update):
          for feed in updates where update.isFor(feed.name) { feed.push(update) }
        case .notice(let notice): for feed in notices { feed.push(notice) }
        case .step: break
        }
      }
    }
  }

  let clock: VirtualClock
  let signer: any ReceiptSigner
  private let eventLog: (any EventLog)?
  private let state: Mutex<State>

  /// Opens a shop: a new one, or the one in the event log.
  init(
    _ identity: StoreIdentity, clock: VirtualClock, signer: any ReceiptSigner, eventLog: (any EventLog)?
  ) throws(LedgerError) {
    self.clock = clock
    self.signer = signer
    self.eventLog = eventLog
    let (shop, count) = try Self.replay(eventLog, identity)
    state = Mutex(State(shop: shop, recordCount: count))
    if let reading = shop.common.clockReading { clock.resume(reading) }
    clock.add(self)
  }

  deinit { state.withLock { $0.timer?.task.cancel() } }

  /// Performs the due effects, then decides, then makes it durable, and only then makes it visible.
  ///
  /// If the event log fails, the decision is kept. The next call writes it before that call has any effect. To the
  /// caller, this is like a lost answer.
  func act<Answer: Sendable>(
    _ body: (inout Shop, Timestamp) -> Answer
  ) throws(LedgerError) -> Answer {
    let answer: Answer
    let dispatch: Dispatch?
    (answer, dispatch) = try state.withLock { (state) throws(LedgerError) in
      let now = clock.now
      state.shop.applyDue(now: now)
      let answer = body(&state.shop, now)
      try write(&state)
      setTimer(&state)
      return (answer, takeEffects(&state))
    }
    if let dispatch { perform(dispatch) }
    return answer
  }

  /// Prepares the shop before any effect is due.
  func start(_ body: (inout Shop) -> Void) throws(LedgerError) {
    try state.withLock { (state) throws(LedgerError) in
      body(&state.shop)
      try write(&state)
    }
    try act { _, _ in }
  }

  /// Reads the state without performing the due effects.
  func look<Answer: Sendable>(_ body: (borrowing Shop) -> Answer) -> Answer { state.withLock { body($0.shop) } }

  func step(_ step: StoreStep) { onStep?(step) }

  var onStep: (@Sendable (StoreStep) -> Void)? {
    get { state.withLock(\.onStep) }
    set { state.withLock { $0.onStep = newValue } }
  }
}

extension StoreEngine {
  var nextDue: Timestamp? { state.withLock { $0.shop.nextDue } }

  /// Performs the due effects, in one write with the clock's reading: a shop that is opened again is never before them.
  func ring() { act { !$0.log.events.isEmpty } }

  func clockMoved() { act { _ in true } }

  private func act(recordingClockIf isWanted: (borrowing Shop) -> Bool) {
    // The next caller of the shop gets the write error.
    try? act { shop, _ in
      let reading = clock.reading
      if shop.log.isKept, shop.common.clockReading != reading, isWanted(shop) { shop.record(.clock(reading)) }
    }
  }

  /// Sets a timer for the next due effect, on a clock that runs by itself.
  private func setTimer(_ state: inout State) {
    guard clock.isFollowing else { return }
    let due = state.shop.nextDue
    guard due != state.timer?.due else { return }
    state.timer?.task.cancel()
    state.timer = nil
    guard let due else { return }
    let clock = clock.storeClock
    let task = Task { [weak self] in
      // Cancelled when something else is due first.
      guard (try? await clock.sleep(due)) != nil else { return }
      self?.ring()
    }
    state.timer = (due, task)
  }

  private func takeEffects(_ state: inout State) -> Dispatch? {
    guard !state.shop.effects.isEmpty else { return nil }
    state.lastDispatch += 1
    let dispatch = Dispatch(
      number: state.lastDispatch, effects: state.shop.effects, updates: state.updates.all, notices: state.notices.all)
    state.shop.effects = []
    state.outbox.append(dispatch)
    return dispatch
  }

  /// Reports the steps, then delivers due effects in the order of the decisions.
  private func perform(_ dispatch: Dispatch) {
    for case .step(let step) in dispatch.effects { self.step(step) }
    state.withLock { state in
      guard let index = state.outbox.firstIndex(where: { $0.number == dispatch.number }) else { return }
      state.outbox[index].isReady = true
      while state.outbox.first?.isReady == true { state.outbox.removeFirst().deliver() }
    }
  }
}

/// A device of a store account.
struct DeviceName: Hashable, Sendable {
  private let accountName: ByteString
  private let deviceName: ByteString

  init(account: String, device: String) {
    accountName = ByteString(account)
    deviceName = ByteString(device)
  }

  var account: String { accountName.text }
  var device: String { deviceName.text }
}

extension StoreEngine {
  /// Opens a stream of updates; the first one since the start of the app begins with the unfinished transactions.
  func subscribe(_ name: DeviceName, redelivering unfinished: (borrowing Shop) -> [TransactionUpdate]) -> UpdateStream<
    TransactionUpdate
  > {
    // The due effects happen first. If they cannot be written, the stream begins without them.
    try? act { _, _ in }
    let feed = UpdateStream<TransactionUpdate>(name)
    state.withLock { state in
      if state.launched.insert(name).inserted {
        for update in unfinished(state.shop) { feed.push(update) }
      }
      state.updates.add(feed)
    }
    return feed
  }

  func subscribeToNotices() -> UpdateStream<QueuedNotice> {
    let feed = UpdateStream<QueuedNotice>()
    state.withLock { $0.notices.add(feed) }
    return feed
  }

  /// Ends the app on a device: its streams end, and the next ones begin anew.
  func relaunch(_ name: DeviceName) {
    state.withLock { state in
      state.updates.end(name)
      state.launched.remove(name)
    }
  }
}

extension StoreEngine {
  /// The number of records above the state's size after which an event log is compacted.
  private static var slack: Int { 1000 }

  private func write(_ state: inout State) throws(LedgerError) {
    guard let eventLog else { return }
    for event in state.shop.log.take() { state.unwritten.append(event.json().text()) }
    guard !state.unwritten.isEmpty else { return }
    try eventLog.append(state.unwritten)
    state.recordCount += state.unwritten.count
    state.unwritten = []
    if state.recordCount > 4 * state.shop.sizeInRecords + Self.slack { compact(&state, eventLog) }
  }

  private func compact(_ state: inout State, _ eventLog: any EventLog) {
    let records = [Self.header(state.shop.identity)] + state.shop.snapshot().map { $0.json().text() }
    // The long event log has the same content; compaction is tried again when it has grown by as much.
    if (try? eventLog.compact(to: records)) != nil { state.recordCount = records.count } else { state.recordCount = 0 }
  }

  private static func replay(
    _ eventLog: (any EventLog)?, _ identity: StoreIdentity
  ) throws(LedgerError) -> (Shop, Int) {
    guard let eventLog else { return (Shop(identity), 0) }
    let records = try eventLog.records()
    guard let first = records.first else {
      try eventLog.append([header(identity)])
      var shop = Shop(identity)
      shop.log.isKept = true
      return (shop, 1)
    }
    let seed = try check(ShopRecordReader(parse(first), identity), identity)
    var identity = identity
    identity.seed = seed
    var shop = Shop(identity)
    for record in records.dropFirst() {
      shop.apply(try Shop.Event(reading: try ShopRecordReader(parse(record), identity)))
    }
    shop.log.isKept = true
    return (shop, records.count)
  }

  private static func parse(_ text: String) throws(LedgerError) -> JSONValue {
    do throws(JSONError) { return try .parse(text) } catch { throw ShopRecordReader.damaged(error.description) }
  }

  private static var version: Int64 { 1 }

  private static func header(_ identity: StoreIdentity) -> String {
    var writer = ShopRecordWriter("shop")
    writer.put("flavour", Shop.flavour)
    writer.put("version", version)
    writer.put("store", identity.store.description)
    writer.put("environment", identity.environment.description)
    writer.put("session", identity.environment.session)
    writer.put("seed", unsigned: identity.seed)
    return writer.json.text()
  }

  /// Returns the seed of the shop in the event log, which has to be the one that is opened.
  private static func check(_ header: ShopRecordReader, _ identity: StoreIdentity) throws(LedgerError) -> UInt64 {
    guard try header["e"].optional?.text() == "shop" else {
      throw LedgerError(.storageForeign, "The journal does not begin as that of a simulated store.")
    }
    guard try header["version"].integer() <= version else {
      throw LedgerError(.storageNewer, "A newer version of this software wrote the simulated store's journal.")
    }
    let expected = [
      ("flavour", Shop.flavour), ("store", identity.store.description),
      ("environment", identity.environment.description), ("session", identity.environment.session ?? ""),
    ]
    for (name, value) in expected {
      let found = try header[name].optional?.text() ?? ""
      guard found.hasBytes(of: value) else {
        throw LedgerError(.storageForeign, "The journal is of another simulated store: its \(name) is \"\(found)\".")
      }
    }
    return try header["seed"].unsigned()
  }
}
