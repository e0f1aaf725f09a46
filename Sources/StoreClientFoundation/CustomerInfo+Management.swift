extension CustomerInfo {
  /// The page on which the customer manages the running subscription; nil without one, and for other stores than the
  /// App Store and Google Play.
  ///
  /// Only subscriptions that give an entitlement count; the last to end is used.
  public var managementURL: URL? {
    let running = entitlements.ordered.filter(\.isActive).compactMap { right in
      right.expirationDate.map { (store: right.store, end: $0) }
    }
    return switch running.max(by: { $0.end < $1.end })?.store {
    case .apple: URL(string: "https://apps.apple.com/account/subscriptions")
    case .google: URL(string: "https://play.google.com/store/account/subscriptions")
    default: nil
    }
  }
}
