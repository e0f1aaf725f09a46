internal import GemLedger
internal import SimulatedStores
internal import StoreBackend
internal import StoreClient

/// The app on one device, through all its processes.
final class App {
  let number: Int
  let account: String
  let floor: any StoreDriver
  let deviceName: String
  private let device: DriverDevice
  private let make: (App) throws(LedgerError) -> StoreClient
  /// The event log, which outlives the processes.
  private(set) var eventLog = MemoryEventLog()
  private(set) var life = ProcessLifetime()
  private(set) var inbox: UpdateInbox
  private var running: StoreClient?
  private(set) var deathCount = 0

  init(
    number: Int, account: String, owner: Int = 0, floor: any StoreDriver,
    make: @escaping (App) throws(LedgerError) -> StoreClient
  ) throws(LedgerError) {
    self.number = number
    self.account = account
    self.floor = floor
    self.make = make
    deviceName = "device-\(number)" + (owner > 0 ? "-\(owner)" : "")
    device = floor.device(account: account, name: deviceName)
    inbox = device.inbox()
  }

  /// The storefront of the running process.
  var storefront: any Storefront { device.storefront }

  /// The running process's client.
  func client() throws(LedgerError) -> StoreClient {
    if let running { return running }
    let client: StoreClient
    do throws(LedgerError) { client = try make(self) } catch {
      guard life.isDead else { throw error }
      // The process died during its start; start it again.
      deathCount += 1
      begin()
      client = try make(self)
    }
    running = client
    return client
  }

  private func begin() {
    running = nil
    life = ProcessLifetime()
    device.relaunch()
    inbox = device.inbox()
  }

  /// Ends the process and begins the next one: with the durable state, and nothing else.
  func relaunch() async throws(LedgerError) {
    begin()
    try await foreground()
  }

  /// Ends its process; the next one begins on demand.
  func leave() { begin() }

  /// Makes the app on the same device for another store account.
  ///
  /// - Parameter owner: Distinguishes the device from the same device of earlier owners.
  func another(account: String, owner: Int) throws(LedgerError) -> App {
    try App(number: number, account: account, owner: owner, floor: floor, make: make)
  }

  /// Deletes and reinstalls the app: none of its data is left on the device.
  func reinstall() async throws(LedgerError) {
    eventLog = MemoryEventLog()
    try await relaunch()
  }

  /// Delivers the store's updates to the client.
  func pump() async throws(LedgerError) {
    let client = try client()
    while let evidence = inbox.take() { await client.receive(evidence) }
  }

  func foreground() async throws(LedgerError) {
    try await pump()
    do throws(LedgerError) { try await client().appDidBecomeActive() } catch {
      // The balances were not available, but the paid receipts are in the queue.
    }
  }

  /// Restarts the app if its process died.
  func reviveIfDead() async throws(LedgerError) {
    guard life.isDead else { return life.spare() }
    deathCount += 1
    try await relaunch()
  }
}
