public import GemLedger

/// The rules by which a backend accepts or refuses receipts and spends; the defaults suit a shop that is open to all
/// customers.
public struct BackendPolicy: Hashable, Sendable {
  /// The bundle ids of the accepted apps; nil for the one in the catalog's settings, or all where they name none.
  public var bundleIDs: Set<String>?
  /// Which purchases outside of production are credited; nil for the rule in the catalog's settings.
  public var sandboxReceipts: SandboxReceipts?
  /// The customers allowed to buy in the sandbox where only listed customers are.
  public var testers: Set<CustomerID>
  /// Whether a price that a receipt states is compared with the catalog's, times the quantity.
  ///
  /// A price that a store signed is credited all the same, with a ``BackendWarning``; another price of an unsigned
  /// receipt is refused. Subscriptions are not compared: stores keep old prices for old subscribers.
  public var checksPrice: Bool
  /// How far ahead of the clock a store's date may lie, in milliseconds.
  public var futureSkewMilliseconds: Int64
  /// How long a purchase with an unknown account token is held for its buyer, in milliseconds from the purchase.
  ///
  /// After that its first poster is credited; 0 for no wait at all. An hour unless it is set.
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

/// When the tries of a delivery are: the first at once, the others after it.
public struct DeliverySchedule: Hashable, Sendable {
  /// How long after the credit each further try is, in milliseconds, ascending; empty for one try only.
  public let retriesAfterMilliseconds: [Int64]

  /// A schedule; at most 100 further tries, in the order of their times.
  public init(retriesAfterMilliseconds: [Int64]) {
    self.retriesAfterMilliseconds = Array(retriesAfterMilliseconds.filter { $0 > 0 }.sorted().prefix(100))
  }

  /// Eight tries in 24 hours: at once, and after 2, 10 and 30 minutes, 2, 6, 12 and 24 hours.
  public static let standard = Self(
    retriesAfterMilliseconds: [2, 10, 30, 120, 360, 720, 1440].map { minutes in minutes * 60_000 })

  /// How many tries there are.
  public var tryCount: Int { retriesAfterMilliseconds.count + 1 }

  /// How long after the try with this number (from 1) the next one is; nil after the last.
  func gapMilliseconds(after number: Int64) -> Int64? {
    guard (1...Int64(retriesAfterMilliseconds.count + 1)).contains(number), number < tryCount else { return nil }
    let index = Int(number) - 1
    return retriesAfterMilliseconds[index] - (index > 0 ? retriesAfterMilliseconds[index - 1] : 0)
  }
}
