internal import GemLedger
internal import SimulatedStores
internal import StoreClient

/// The App Store's calls that need no screen.
public enum AppStore {
  /// The world that purchases belong to.
  public struct Environment: RawRepresentable, Hashable, Sendable {
    /// Apple's word for it.
    public let rawValue: String

    /// Makes an environment with Apple's word for it.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Real money.
    public static let production = Environment(rawValue: "Production")
    /// The sandbox.
    public static let sandbox = Environment(rawValue: "Sandbox")
    /// A test session; a session of a simulated store counts as one.
    public static let xcode = Environment(rawValue: "Xcode")
  }

  /// Whether the process has an App Store.
  public static var canMakePayments: Bool { ProcessStore.current != nil }

  /// Asks the App Store for transactions that this device does not know yet, as a restore does.
  ///
  /// - Throws: ``StoreKitError``: a simulated one, or `systemError` without a test session.
  public static func sync() async throws {
    let attached = try ProcessStore.required()
    do throws(StoreFailure) { try await attached.device.sync() } catch {
      throw attached.error(error, by: .appStoreSync)
    }
  }
}

extension AppStore.Environment {
  init(_ environment: StoreEnvironment) {
    switch environment {
    case .production: self = .production
    case .sandbox: self = .sandbox
    default: self = .xcode
    }
  }
}
