internal import GemLedger
public import StoreBackend

/// A right that a purchase gives.
public typealias EntitlementInfo = CustomerRecord.Entitlement

/// The rights that a customer's purchases give.
///
/// ```swift
/// if customerInfo.entitlements.all["premium"]?.isActive == true { showPremiumContent() }
/// ```
public struct EntitlementInfos: Hashable, Sendable {
  /// All rights, including ended rights, in the order of their names.
  public let ordered: [EntitlementInfo]

  /// Creates rights for a preview or an app's backend.
  public init(_ entitlements: [EntitlementInfo]) { ordered = entitlements }

  /// All rights by their names, including ended rights.
  public var all: [String: EntitlementInfo] { Self.byName(ordered) }

  /// The valid rights, by their names.
  public var active: [String: EntitlementInfo] { Self.byName(ordered.filter(\.isActive)) }

  /// The right with this name.
  public subscript(id: String) -> EntitlementInfo? { ordered.first { $0.id.hasBytes(of: id) } }

  private static func byName(_ entitlements: [EntitlementInfo]) -> [String: EntitlementInfo] {
    Dictionary(entitlements.map { ($0.id, $0) }) { first, _ in first }
  }
}

extension CustomerRecord.Entitlement {
  /// The value of `id`.
  public var identifier: String { id }
  /// The code of the product that gives it.
  public var productIdentifier: String { product.text }
}
