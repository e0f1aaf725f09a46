internal import GemLedger
internal import SimulatedStores

/// The country of the App Store account, which determines the prices.
///
/// StoreKit's `id` is left out: the simulated store has no such numbers.
public struct Storefront: Hashable, Sendable {
  let code: StorefrontCode

  /// ISO 3166-1 alpha-3, such as `USA`.
  public var countryCode: String { code.description }

  /// The currency of its prices.
  public var currency: Locale.Currency? { Locale.Currency(code.currency.code) }

  /// The storefront now; nil without a test session.
  public static var current: Storefront? {
    get async {
      guard let attached = ProcessStore.current else { return nil }
      return Storefront(code: await attached.device.storefront())
    }
  }

  /// The changes of the storefront that ``SKTestSession/storefront`` makes, from now on.
  public static var updates: Storefronts { Storefronts() }

  /// The changes of the storefront; it ends with the test session.
  public struct Storefronts: AsyncSequence, Sendable {
    /// A reader of the changes.
    public struct AsyncIterator: AsyncIteratorProtocol {
      private var changes: AsyncStream<StorefrontCode>?

      init() { changes = ProcessStore.current?.storefronts() }

      /// Returns the next storefront; waits for a test session if there is none.
      public mutating func next() async -> Storefront? {
        if changes == nil { changes = await ProcessStore.next()?.storefronts() }
        return await changes?.nextElement().map(Storefront.init(code:))
      }
    }

    /// Begins an iteration.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
  }
}
