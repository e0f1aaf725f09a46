public import GemLedger

/// The rules by which a backend accepts or refuses receipts and spends; the defaults suit a shop for all customers.
public struct BackendPolicy: Hashable, Sendable {
  /// The bundle ids of the accepted apps; nil for the id in the catalog's settings, or all ids if it has none.
  public var bundleIDs: Set<String>?
  /// Which purchases outside of production are credited; nil for the rule in the catalog's settings.
  public var sandboxReceipts: SandboxReceipts?
  /// The customers that may buy in the sandbox if only listed customers may.
  public var testers: Set<CustomerID>
  /// Whether a price that a receipt states is compared with the catalog's, times the quantity.
  ///
  /// A price signed by a store is credited despite a difference, with a ``BackendWarning``; another price of an
  /// unsigned
  /// receipt is refused. Subscriptions are not compared: stores keep old prices for old subscribers.
  public var checksPrice: Bool
  /// How far in the future a store's date may be, in milliseconds.
  public var futureSkewMilliseconds: Int64
  /// How long a purchase with an unknown account token is held for its buyer, in milliseconds from the purchase.
  ///
  /// After that its first poster is credited; 0 for no wait. The default is one hour.
  public var unknownBuyerWaitMilliseconds: Int64
  /// How long an order waits for its payment, in milliseconds.
  public var orderLifetimeMilliseconds: Int64
  /// When deliveries to a game server are tried again.
  public var deliverySchedule: DeliverySchedule
  /// The virtual currency that a unit of a product costs on top of its price at the store.
  ///
  /// It is held when an order is opened, and spent when the order is paid for.
  public var currencyPrices: [ProductCode: [Adjustment]]
  /// Which spends are booked for a client.
  public var clientSpending: ClientSpending

  /// A policy.
  public init(
    bundleIDs: Set<String>? = nil, sandboxReceipts: SandboxReceipts? = nil, testers: Set<CustomerID> = [],
    checksPrice: Bool = true, futureSkewMilliseconds: Int64 = 86_400_000,
    unknownBuyerWaitMilliseconds: Int64 = 3_600_000, orderLifetimeMilliseconds: Int64 = 86_400_000,
    deliverySchedule: DeliverySchedule = .standard, currencyPrices: [ProductCode: [Adjustment]] = [:],
    clientSpending: ClientSpending = .itemsOnly
  ) {
    self.bundleIDs = bundleIDs
    self.sandboxReceipts = sandboxReceipts
    self.testers = testers
    self.checksPrice = checksPrice
    self.futureSkewMilliseconds = futureSkewMilliseconds
    self.unknownBuyerWaitMilliseconds = unknownBuyerWaitMilliseconds
    self.orderLifetimeMilliseconds = orderLifetimeMilliseconds
    self.deliverySchedule = deliverySchedule
    self.currencyPrices = currencyPrices
    self.clientSpending = clientSpending
  }
}

/// The times of a delivery's tries: the first at once, the others later.
public struct DeliverySchedule: Hashable, Sendable {
  /// The time from the credit to each further try, in milliseconds, ascending; empty for one try only.
  public let retriesAfterMilliseconds: [Int64]

  /// A schedule; at most 100 further tries, in the order of their times.
  public init(retriesAfterMilliseconds: [Int64]) {
    self.retriesAfterMilliseconds = Array(retriesAfterMilliseconds.filter { $0 > 0 }.sorted().prefix(100))
  }

  /// Eight tries in 24 hours: at once, and after 2, 10 and 30 minutes, 2, 6, 12 and 24 hours.
  public static let standard = Self(
    retriesAfterMilliseconds: [2, 10, 30, 120, 360, 720, 1440].map { minutes in minutes * 60_000 })

  /// The number of tries.
  public var tryCount: Int { retriesAfterMilliseconds.count + 1 }

  /// Returns the time from the try with this number (from 1) to the next try; nil after the last try.
  func gapMilliseconds(after number: Int64) -> Int64? {
    guard (1...Int64(retriesAfterMilliseconds.count + 1)).contains(number), number < tryCount else { return nil }
    let index = Int(number) - 1
    return retriesAfterMilliseconds[index] - (index > 0 ? retriesAfterMilliseconds[index - 1] : 0)
  }
}
