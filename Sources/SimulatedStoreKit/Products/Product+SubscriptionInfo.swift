internal import GemLedger
internal import SimulatedStores
internal import StoreBackend
internal import StoreClient

extension Product {
  /// The terms of a subscription.
  ///
  /// StoreKit's offers are left out: the simulated store has none.
  public struct SubscriptionInfo: Hashable, Sendable {
    /// The group of the `.storekit` file; a subscription without one forms a separate group.
    ///
    /// One subscription of a group runs at a time. The subscription bought last replaces the others at once,
    /// independent of rank. The App Store delays a change to a lower level until the end of the period.
    public let subscriptionGroupID: String
    /// The length of a paid period.
    public let subscriptionPeriod: SubscriptionPeriod

    /// The status of the customer's subscription; empty if there never was one.
    ///
    /// - Throws: ``StoreKitError``: a simulated one, or `systemError` without a test session.
    public var status: [Status] {
      get async throws { try await Self.status(for: subscriptionGroupID) }
    }

    /// Returns the status of the customer's subscription of a group: the running one, or else the one bought last.
    ///
    /// It is empty if there never was one. StoreKit's array has more elements with family sharing only.
    ///
    /// - Throws: ``StoreKitError``: a simulated one, or `systemError` without a test session.
    public static func status(for groupID: String) async throws -> [Status] {
      let attached = try ProcessStore.required()
      do throws(StoreFailure) {
        var found: (status: SubscriptionStatus, latest: StoreEvidence)?
        for productID in attached.store.subscriptions(inGroup: groupID) {
          guard let status = try await attached.device.subscriptionStatus(of: productID),
            let latest = try await attached.device.all().last(where: {
              $0.transaction.id == status.latestTransactionID
            })
          else { continue }
          let isLater = found.map {
            (status.rank, latest.transaction.id.number) > ($0.status.rank, $0.latest.transaction.id.number)
          }
          if isLater ?? true { found = (status, latest) }
        }
        return found.map { [Status($0.status, $0.latest.transaction, VerificationResult($0.latest))] } ?? []
      } catch {
        throw attached.error(error, by: .subscriptionStatus)
      }
    }
  }

  /// A length of time in the calendar.
  public struct SubscriptionPeriod: Hashable, Sendable {
    /// A unit of the calendar.
    public enum Unit: Hashable, Sendable {
      /// A day.
      case day
      /// Seven days.
      case week
      /// A month.
      case month
      /// Twelve months.
      case year
    }

    /// The unit.
    public let unit: Unit
    /// The number of units.
    public let value: Int

    /// A week.
    public static let weekly = SubscriptionPeriod(unit: .week, value: 1)
    /// A month.
    public static let monthly = SubscriptionPeriod(unit: .month, value: 1)
    /// A year.
    public static let yearly = SubscriptionPeriod(unit: .year, value: 1)
  }
}

extension Product.SubscriptionInfo {
  init?(_ listing: StorefrontProduct) {
    guard let group = listing.subscriptionGroupID,
      let period = listing.subscriptionPeriod.flatMap(Product.SubscriptionPeriod.init(iso8601:))
    else { return nil }
    subscriptionGroupID = group
    subscriptionPeriod = period
  }
}

extension Product.SubscriptionPeriod {
  /// Reads ISO 8601 with one unit, such as `P1M`; nil for any other text.
  init?(iso8601 text: String) {
    guard text.first == "P", let letter = text.last, let value = Int(text.dropFirst().dropLast()) else { return nil }
    switch letter {
    case "D": self.init(unit: .day, value: value)
    case "W": self.init(unit: .week, value: value)
    case "M": self.init(unit: .month, value: value)
    case "Y": self.init(unit: .year, value: value)
    default: return nil
    }
  }
}

extension SubscriptionStatus {
  /// The rank of the status: a running subscription precedes an ended one.
  fileprivate var rank: Int { state == .subscribed || state == .inGracePeriod ? 1 : 0 }
}
