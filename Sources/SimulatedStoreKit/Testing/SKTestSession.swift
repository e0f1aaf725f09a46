internal import GemLedger
public import SimulatedStores
public import StoreBackend
internal import StoreClient
internal import Synchronization

/// A simulated App Store for this process, with the controls of StoreKitTest's `SKTestSession`.
///
/// StoreKit's calls are static, so a process has one App Store at a time: that of the latest session. Making a session
/// restarts the app: the update sequences of the previous session end. Tests that use sessions must run one after the
/// other.
///
/// ```swift
/// let session = try SKTestSession(configurationFileNamed: "Products")
/// let gems = try await Product.products(for: ["gems_1200"])
/// ```
///
/// Controls that StoreKitTest does not have use other names: ``store`` with every fault, ``relaunchApp()``,
/// ``receipts`` for a backend that verifies them, and clocks that tests move.
public final class SKTestSession: Sendable {
  private static let count = Mutex(0)

  let attached: AttachedDevice

  /// Makes a session with the `.storekit` file of this name, with or without its ending.
  ///
  /// The file is searched among the resources of the process's bundles, then below the working directory, which is the
  /// package's directory in `swift test`. There the file at the least depth is used.
  ///
  /// - Parameters:
  ///   - name: The name of the file.
  ///   - bundleID: The app, as its receipts name it.
  ///   - clock: The clock; nil for the machine's clock.
  /// - Throws: ``SKTestError`` with `fileNotFound` if there is none, or if two are equally deep;
  ///   `CatalogProblems` with everything that is wrong with the file.
  public convenience init(
    configurationFileNamed name: String, bundleID: String = defaultBundleID,
    clock: VirtualClock? = nil
  ) throws {
    let url = try ConfigurationFile.named(name)
    try self.init(contentsOf: url, bundleID: bundleID, clock: clock)
  }

  /// Makes a session with a `.storekit` file.
  ///
  /// - Parameters:
  ///   - url: The file.
  ///   - bundleID: The app, as its receipts name it.
  ///   - clock: The clock; nil for the machine's clock.
  /// - Throws: ``SKTestError`` with `invalidURL` if it is no file URL, `fileNotFound` if the file cannot be
  ///   read; `CatalogProblems` with everything that is wrong with the file.
  public convenience init(
    contentsOf url: URL, bundleID: String = defaultBundleID, clock: VirtualClock? = nil
  ) throws {
    let configuration = try ConfigurationFile.read(url)
    let number = Self.count.withLock { count in
      count += 1
      return count
    }
    // Two sessions of one process are two test sessions to a ledger: their transaction ids start again.
    let receipts = try UnsignedReceipts(session: "storekit-\(number)")
    let store = try SimulatedStore(
      storeKit: configuration, bundleID: bundleID, session: "storekit-\(number)", seed: UInt64(number),
      clock: clock ?? VirtualClock(following: .system),
      signer: receipts)
    self.init(device: store.account("default").device("device"))
  }

  /// Makes a device of a simulated store the App Store of this process.
  ///
  /// So StoreKit's calls can use a store with a chosen catalog, seed, signer or event log. Another session with the
  /// same device is the next start of the app.
  public init(device: StoreDevice) {
    attached = AttachedDevice(device)
    ProcessStore.attach(attached)
  }

  /// The app's bundle id, or `com.example.app` if the process is no app.
  public static var defaultBundleID: String { Bundle.main.bundleIdentifier ?? "com.example.app" }

  /// The device that acts as the App Store of this process.
  public var device: StoreDevice { attached.device }

  /// The store, with every control that StoreKitTest does not have.
  public var store: SimulatedStore { attached.store }

  /// The verifier of the session's receipts, for a backend; nil if the store has another signer.
  public var receipts: UnsignedReceipts? { store.signer as? UnsignedReceipts }

  /// Ends the app and starts it again: iterations of ``Transaction/updates`` end, and the next one begins with the
  /// unfinished transactions.
  public func relaunchApp() { attached.end() }

  /// The number of iterations of ``Storefront/updates``, for tests that wait for one.
  package var storefrontReaderCount: Int { attached.storefrontReaderCount }

  /// Removes the App Store of the process if this session is the latest.
  public func end() { ProcessStore.detach(attached) }
}
