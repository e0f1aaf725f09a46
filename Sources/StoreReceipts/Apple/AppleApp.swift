#if Receipts
public import GemLedger
internal import StoreBackend

/// The app that receipts must be for, and the environments that they may come from.
public struct AppleApp: Hashable, Sendable {
  /// The bundle id; nil where another part compares it, as `LocalBackend` does with the catalog's.
  public var bundleID: String?
  /// The app's number at the App Store, which notifications and app transactions of production carry.
  public var appAppleID: Int64?
  /// Where receipts may come from.
  public var environments: Set<StoreEnvironment>
  /// Test sessions with receipts that nobody verifies: Xcode signs with a certificate of its own.
  ///
  /// Everybody can make such receipts. Name a session here only on a developer's machine.
  public var unverifiedEnvironments: Set<StoreEnvironment>

  /// An app.
  public init(
    bundleID: String? = nil, appAppleID: Int64? = nil, environments: Set<StoreEnvironment>,
    unverifiedEnvironments: Set<StoreEnvironment> = []
  ) {
    self.bundleID = bundleID
    self.appAppleID = appAppleID
    self.environments = environments
    self.unverifiedEnvironments = unverifiedEnvironments
  }
}

extension AppleApp {
  /// - Throws: `LedgerError` with `configuration`.
  func check() throws(LedgerError) {
    if environments.contains(.production), appAppleID == nil {
      throw LedgerError(.configuration, "Receipts of production are compared with the app's number: set appAppleID.")
    }
    guard unverifiedEnvironments.allSatisfy({ $0.session != nil }) else {
      throw LedgerError(.configuration, "Only test sessions can have receipts that nobody verifies.")
    }
    var kinds: Set<StoreEnvironment.Kind> = []
    guard environments.union(unverifiedEnvironments).allSatisfy({ kinds.insert($0.kind).inserted }) else {
      throw LedgerError(
        .configuration, "Two sessions of one kind: a receipt does not say which of them it comes from.")
    }
  }

  /// Compares the app and the environment, in Apple's order.
  ///
  /// - Parameter appAppleID: The app's number, where the payload has one.
  /// - Throws: `LedgerError` with, in order of precedence: `bundle_mismatch`; `receipt_unverified`, checks `app_id`,
  ///   `environment`.
  func check(
    bundleID found: String?, appAppleID foundID: AppID, environment name: String
  ) throws(LedgerError) -> StoreEnvironment {
    if let bundleID, !(found.map(bundleID.hasBytes) ?? false) {
      let text = String((found ?? "").prefix(100))
      throw ReceiptCheck.bundle.failure("for the app \"\(text)\", not for \(bundleID)", .text("bundle_id", text))
    }
    if name.hasBytes(of: StoreEnvironment.production.payloadName), case .stated(let id) = foundID, id != appAppleID {
      throw ReceiptCheck.appID.failure("it is for another app at the App Store")
    }
    let accepted = environments.union(unverifiedEnvironments)
    guard let environment = accepted.first(where: { $0.payloadName.hasBytes(of: name) }) else {
      let names = accepted.map(\.payloadName).sorted().joined(separator: ", ")
      throw ReceiptCheck.environment.failure(
        "it comes from the environment \"\(name.prefix(60))\"; accepted here: \(names.isEmpty ? "none" : names)")
    }
    return environment
  }

  /// The app's number in a payload.
  enum AppID {
    /// Payloads of this kind have none.
    case absent
    case stated(Int64?)
  }
}

extension StoreEnvironment {
  /// The environment's name in Apple's payloads.
  var payloadName: String { ReceiptForm.name(of: self) }
}
#endif
