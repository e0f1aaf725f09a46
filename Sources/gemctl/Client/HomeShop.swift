import GemLedger
import SimulatedStores
import StoreBackend
import StoreClient

/// The simulated store of a home, with its file and its keys.
struct HomeShop: Sendable {
  let shop: any LocalShop
  let receipts: any SimulatedReceipts
  /// The unreadable parts of the store's file.
  let problems: [FileEventLog.Problem]

  /// Opens the store, and keeps its file from other processes.
  ///
  /// - Parameters:
  ///   - state: The client's state of the home.
  ///   - home: The home with the store's file and keys; nil for a store that ends with the process.
  ///   - catalog: The catalog of the store.
  ///   - clock: Its time.
  ///   - timeout: How long to wait for another process that uses the store's file.
  init(
    _ state: Home.State, in home: Home?, selling catalog: Catalog, clock: VirtualClock, timeout: LockTimeout
  ) throws(LedgerError) {
    let log = try home.map { (home) throws(LedgerError) in
      try FileEventLog(path: home.storePath, timeout: timeout)
    }
    let setUp = ShopSetUp(
      store: state.store, session: state.storeSession, storefront: state.storefront, locale: state.locale,
      switches: state.switches)
    let receipts = try HomeReceipts.open(state.store, try setUp.environment, in: home)
    problems = log?.problems ?? []
    self.receipts = receipts
    shop = try Self.naming(log) { () throws(LedgerError) in
      try setUp.open(selling: catalog, clock: clock, signer: receipts, eventLog: log)
    }
  }

  /// Opens the store; an error names its file and the position of the damage.
  private static func naming(
    _ eventLog: FileEventLog?, _ open: () throws(LedgerError) -> any LocalShop
  ) throws(LedgerError) -> any LocalShop {
    do throws(LedgerError) { return try open() } catch {
      let codes: [LedgerError.Code] = [.storageForeign, .storageDamaged, .storageNewer]
      guard let eventLog, codes.contains(error.code) else { throw error }
      let parts = eventLog.problems.map { " \($0)" }.joined()
      let remedy = error.code == .storageNewer ? "" : " Restore the file from a backup."
      throw LedgerError(
        error.code, "\(eventLog.path.quotedForPeople) cannot be used: \(error.message)\(parts)\(remedy)",
        details: error.details + [.text("file", eventLog.path)])
    }
  }
}
