/// The settings of a client with only a key, by RevenueCat's name.
public typealias Configuration = KeyConfiguration

/// A public key and an app user id; `StoreClient.defaults` contains all other settings.
///
/// ```swift
/// Purchases.configure(with: Configuration.Builder(withAPIKey: "appl_…").with(appUserID: "player-4f1c9a7e").build())
/// ```
public struct KeyConfiguration: Hashable, Sendable {
  /// The public key.
  public let apiKey: String
  /// The customer to sign in at the start; nil for the last customer, or an anonymous customer.
  public let appUserID: String?

  /// Builds the settings step by step.
  public struct Builder: Sendable {
    private let apiKey: String
    private var appUserID: String?

    /// Starts with a key.
    public init(withAPIKey apiKey: String) { self.apiKey = apiKey }

    /// Adds the customer.
    public func with(appUserID: String?) -> Self {
      var builder = self
      builder.appUserID = appUserID
      return builder
    }

    /// Returns the settings.
    public func build() -> KeyConfiguration { KeyConfiguration(apiKey: apiKey, appUserID: appUserID) }
  }

  /// Starts with a key.
  public static func builder(withAPIKey apiKey: String) -> Builder { Builder(withAPIKey: apiKey) }
}

extension StoreClient {
  /// Creates the shared client, as ``configure(withAPIKey:appUserID:)``.
  @discardableResult
  public static func configure(with configuration: KeyConfiguration) -> StoreClient {
    configure(withAPIKey: configuration.apiKey, appUserID: configuration.appUserID)
  }

  /// Creates the shared client, as ``configure(withAPIKey:appUserID:)``.
  @discardableResult
  public static func configure(with builder: KeyConfiguration.Builder) -> StoreClient {
    configure(with: builder.build())
  }
}
