internal import GemLedger
public import SimulatedStores
public import StoreBackend
internal import StoreClient
internal import Synchronization

/// A simulated App Store for this process, with the controls of StoreKitTest's `SKTestSession`.
///
/// StoreKit's calls are static, so a process has one App Store at a time: that of the session made last. To make a
/// session is to start the app anew: the sequences of updates of the session before end. Tests that use one run one
/// after the other.
///
/// ```swift
/// let session = try SKTestSession(configurationFileNamed: "Products")
/// let gems = try await Product.products(for: ["gems_1200"])
/// ```
///
/// Controls that StoreKitTest does not have are under other names: ``store`` with every fault, ``relaunchApp()``,
/// ``receipts`` for a backend that verifies them, and clocks that tests move.
public final class SKTestSession: Sendable {
  private static let count = Mutex(0)

  let attached: AttachedDevice

  /// Makes a session with the `.storekit` file of this name, with or without its ending.
  ///
  /// The file is looked for among the resources of the process's bundles, then below the working directory, which is
  /// the package's directory in `swift test`; there the shallowest one is taken.
  ///
  /// - Parameters:
  ///   - name: The name of the file.
  ///   - bundleID: The app, as its receipts name it.
  ///   - clock: The time; the machine's clock where the test gives none to move.
  /// - Throws: ``SKTestError`` with `fileNotFound` where there is none, or where two are equally deep;
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
  ///   - clock: The time; the machine's clock where the test gives none to move.
  /// - Throws: ``SKTestError`` with `invalidURL` where it is no URL of a file, `fileNotFound` where the file cannot be
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
  /// So a store with a catalog, a seed, a signer or kept state of its own stands behind StoreKit's calls. Another
  /// session with the same device is the next start of the app.
  public init(device: StoreDevice) {
    attached = AttachedDevice(device)
    ProcessStore.attach(attached)
  }

  /// The app's bundle id, or `com.example.app` where the process is no app.
  public static var defaultBundleID: String { Bundle.main.bundleIdentifier ?? "com.example.app" }

  /// The device that stands for the App Store of this process.
  public var device: StoreDevice { attached.device }

  /// The store, with every control that StoreKitTest does not have.
  public var store: SimulatedStore { attached.store }

  /// Verifies the receipts of the session's transactions, for a backend; nil where the store has another signer.
  public var receipts: UnsignedReceipts? { store.signer as? UnsignedReceipts }

  /// Ends the app and starts it again: readings of ``Transaction/updates`` end, and the next one begins with the
  /// unfinished transactions.
  public func relaunchApp() { attached.end() }

  /// How many readings of ``Storefront/updates`` there are, for tests that wait for one.
  package var storefrontReaderCount: Int { attached.storefrontReaderCount }

  /// Leaves the process without an App Store, where the session is the one made last.
  public func end() { ProcessStore.detach(attached) }
}
