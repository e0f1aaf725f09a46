/// A word of the catalog out of a few: open to callers, closed inside the package so that switches are exhaustive.
package protocol CatalogWord: Hashable, Sendable, CustomStringConvertible {
  associatedtype Kind: RawRepresentable<String>, CaseIterable, Sendable

  init(_ kind: Kind)

  var kind: Kind { get }
}

/// Which lots a spend takes first, among those that expire at the same time.
public struct BurnOrder: CatalogWord {
  package enum Kind: String, CaseIterable, Sendable {
    case freeFirst = "free_first"
    case paidFirst = "paid_first"
  }

  package let kind: Kind

  package init(_ kind: Kind) { self.kind = kind }

  /// What was given away goes before what was paid for.
  public static let freeFirst = Self(.freeFirst)
  /// What was paid for goes before what was given away.
  public static let paidFirst = Self(.paidFirst)

  /// The word as the catalog writes it.
  public var description: String { kind.rawValue }
}

/// What happens when a refunded purchase has been spent already.
public struct RefundPolicy: CatalogWord {
  package enum Kind: String, CaseIterable, Sendable {
    case floor
    case debt
    case freeze
  }

  package let kind: Kind

  package init(_ kind: Kind) { self.kind = kind }

  /// Take what is left, and record the shortfall.
  public static let floor = Self(.floor)
  /// Owe the shortfall: the next credits repay it first.
  public static let debt = Self(.debt)
  /// Take what is left, and stop the customer from spending.
  public static let freeze = Self(.freeze)

  /// The word as the catalog writes it.
  public var description: String { kind.rawValue }
}

/// How a product is sold.
public struct ProductType: CatalogWord {
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

  /// The word as the catalog writes it.
  public var description: String { kind.rawValue }
}

/// Whose purchases in a store's sandbox are credited.
public struct SandboxReceipts: CatalogWord {
  package enum Kind: String, CaseIterable, Sendable {
    case anybody
    case listed
    case nobody
  }

  package let kind: Kind

  package init(_ kind: Kind) { self.kind = kind }

  /// Everybody's.
  public static let anybody = Self(.anybody)
  /// Those of customers on the list of testers.
  public static let listed = Self(.listed)
  /// Nobody's.
  public static let nobody = Self(.nobody)

  /// The word as the catalog writes it.
  public var description: String { kind.rawValue }
}
