#if Receipts
public import GemLedger
internal import StoreBackend

/// The app of accepted receipts, and their environments.
public struct AppleApp: Hashable, Sendable {
  /// The bundle id; nil if another part compares it, as `LocalBackend` does with the catalog's.
  public var bundleID: String?
  /// The app's number at the App Store, which notifications and app transactions of production contain.
  public var appAppleID: Int64?
  /// The environments of accepted receipts.
  public var environments: Set<StoreEnvironment>
  /// Test sessions with unverified receipts: Xcode signs with a certificate of the local machine.
  ///
  /// Every client can make such receipts. Name a session here only on a developer's machine.
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
      throw LedgerError(.configuration, "Production receipts are compared with the app's number. Set appAppleID.")
    }
    guard unverifiedEnvironments.allSatisfy({ $0.session != nil }) else {
      throw LedgerError(.configuration, "Only test sessions can have unverified receipts.")
    }
    var kinds: Set<StoreEnvironment.Kind> = []
    guard environments.union(unverifiedEnvironments).allSatisfy({ kinds.insert($0.kind).inserted }) else {
      throw LedgerError(
        .configuration, "Two sessions of one kind are not possible, because a receipt does not name its session.")
    }
  }

  /// Compares the app and the environment, in Apple's order.
  ///
  /// - Parameter appAppleID: The app's number, if the payload has one.
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
        "it is of the environment \"\(name.prefix(60))\"; accepted environments: \(names.isEmpty ? "none" : names)")
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
