/// An option of the catalog, one of a few: open to callers, closed inside the package so that switches are exhaustive.
package protocol CatalogOption: Hashable, Sendable, CustomStringConvertible {
  associatedtype Kind: RawRepresentable<String>, CaseIterable, Sendable

  init(_ kind: Kind)

  var kind: Kind { get }
}

/// Which lots a spend takes first, among those that expire at the same time.
public struct BurnOrder: CatalogOption {
  package enum Kind: String, CaseIterable, Sendable {
    case freeFirst = "free_first"
    case paidFirst = "paid_first"
  }

  package let kind: Kind

  package init(_ kind: Kind) { self.kind = kind }

  /// Free lots go before paid ones.
  public static let freeFirst = Self(.freeFirst)
  /// Paid lots go before free ones.
  public static let paidFirst = Self(.paidFirst)

  /// The option's name in the catalog.
  public var description: String { kind.rawValue }
}

/// The policy for a refunded purchase that has been spent already.
public struct RefundPolicy: CatalogOption {
  package enum Kind: String, CaseIterable, Sendable {
    case floor
    case debt
    case freeze
  }

  package let kind: Kind

  package init(_ kind: Kind) { self.kind = kind }

  /// Take the rest, and record the shortfall.
  public static let floor = Self(.floor)
  /// Owe the shortfall: the next credits repay it first.
  public static let debt = Self(.debt)
  /// Take the rest, and stop the customer from spending.
  public static let freeze = Self(.freeze)

  /// The option's name in the catalog.
  public var description: String { kind.rawValue }
}

/// How a product is sold.
public struct ProductType: CatalogOption {
  package enum Kind: String, CaseIterable, Sendable {
    case consumable
    case nonConsumable = "non_consumable"
    case autoRenewableSubscription = "auto_renewable_subscription"
    case nonRenewingSubscription = "non_renewing_subscription"
  }

  package let kind: Kind

  package init(_ kind: Kind) { self.kind = kind }

  /// Bought again and again, used up, such as a pack of gems.
  public static let consumable = Self(.consumable)
  /// Bought once, owned for ever.
  public static let nonConsumable = Self(.nonConsumable)
  /// Runs until it is cancelled, in cycles.
  public static let autoRenewableSubscription = Self(.autoRenewableSubscription)
  /// Runs for a while, and ends.
  public static let nonRenewingSubscription = Self(.nonRenewingSubscription)

  /// Whether it runs for a time.
  public var isSubscription: Bool {
    switch kind {
    case .consumable, .nonConsumable: false
    case .autoRenewableSubscription, .nonRenewingSubscription: true
    }
  }

  /// The option's name in the catalog.
  public var description: String { kind.rawValue }
}

/// The customers with creditable purchases in a store's sandbox.
public struct SandboxReceipts: CatalogOption {
  package enum Kind: String, CaseIterable, Sendable {
    case anybody
    case listed
    case nobody
  }

  package let kind: Kind

  package init(_ kind: Kind) { self.kind = kind }

  /// Purchases of all customers.
  public static let anybody = Self(.anybody)
  /// Purchases of customers on the list of testers.
  public static let listed = Self(.listed)
  /// No purchases.
  public static let nobody = Self(.nobody)

  /// The option's name in the catalog.
  public var description: String { kind.rawValue }
}

/// The logins by which an anonymous customer may join a named id.
public struct Logins: CatalogOption {
  package enum Kind: String, CaseIterable, Sendable {
    case open
    case proven
  }

  package let kind: Kind

  package init(_ kind: Kind) { self.kind = kind }

  /// Logins with a public key alone, as the stores' usual SDKs send them.
  public static let open = Self(.open)
  /// Only logins with a session token of the named id, or with a secret key.
  public static let proven = Self(.proven)

  /// The option's name in the catalog.
  public var description: String { kind.rawValue }
}
