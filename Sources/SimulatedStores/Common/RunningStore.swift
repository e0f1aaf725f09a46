internal import GemLedger

/// The requirements of ``StoreControls`` on a running store of either kind.
protocol RunningStore: AnyObject, Sendable {
  var clock: VirtualClock { get }
  var identity: StoreIdentity { get }
  var settings: CommonSettings { get }
  var faults: [StoreFault] { get }
  var onStep: (@Sendable (StoreStep) -> Void)? { get set }

  func change(_ body: (inout CommonSettings) -> Void) throws(LedgerError)
  func sells(_ productID: String) -> Bool
  func sell(_ products: [Product]) throws(LedgerError)
  func inject(_ plan: FaultPlan) throws(LedgerError)
  func clearFaults(on api: StoreAPI?) throws(LedgerError)
  func notices() -> AsyncStream<StoreNotice>
  func pendingNotices(limit: Int) -> [NumberedNotice]
  func acknowledgeNotices(through id: Int64) throws(LedgerError)
  func takeNotices(limit: Int) throws(LedgerError) -> [StoreNotice]
}

extension StoreEngine: RunningStore {
  var identity: StoreIdentity { look { $0.identity } }
  var settings: CommonSettings { look { $0.settings.common } }
  var faults: [StoreFault] { look { $0.common.faults.armed.map(\.fault) } }

  func change(_ body: (inout CommonSettings) -> Void) throws(LedgerError) {
    try act { shop, _ in shop.change { body(&$0.common) } }
  }

  func sells(_ productID: String) -> Bool { look { $0.productIndex[productID] != nil } }

  func sell(_ products: [Product]) throws(LedgerError) {
    try act { shop, _ in
      shop.productIndex = ProductListing(products, at: shop.identity.store, groups: shop.productIndex.groups)
    }
  }
}
