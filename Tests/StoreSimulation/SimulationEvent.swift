/// One event of a soak: a value derived from the seed and its position alone.
///
/// So a shorter run is the beginning of a longer one.
package struct SimulationEvent: Hashable, Sendable, CustomStringConvertible {
  /// The kind of an event.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A customer buys.
    case purchase
    /// A customer cancels at the sheet.
    case cancel
    /// A purchase waits for another person's approval.
    case askToBuy = "ask_to_buy"
    /// The other person approves.
    case approve
    /// The other person declines.
    case decline
    /// A customer subscribes, or buys a non-consumable.
    case subscribe
    /// The store account buys without a device, for a customer that may be unknown yet.
    case buyElsewhere = "buy_elsewhere"
    /// A customer redeems a code: an offer code of the App Store, a promo code of Google Play.
    case offerCode = "offer_code"
    /// A purchase is shared with another store account.
    case familyShare = "family_share"
    /// A store charges another price than the catalog's, or the catalog's again.
    case priceChange = "price_change"
    /// A product is removed from the backend's catalog, or restored; the stores sell it all the while.
    case catalogGap = "catalog_gap"
    /// The store delivers a transaction once more.
    case redeliver
    /// A receipt is posted once more, for any customer.
    case duplicate
    /// The store gives money back, in full or part.
    case refund
    /// The store takes a refund back.
    case reverseRefund = "reverse_refund"
    /// The backend gets the store's notices, in some order.
    case notices
    /// The backend does its periodic work, including held purchases.
    case maintenance
    /// The app enters the foreground.
    case foreground
    /// The app's process ends and starts again.
    case relaunch
    /// The app is deleted and installed again, half of the time for another store account.
    case reinstall
    /// A customer signs in.
    case logIn = "log_in"
    /// A customer signs out.
    case logOut = "log_out"
    /// A customer switches to another id.
    case identify
    /// A customer gets one more id.
    case alias
    /// A customer restores purchases.
    case restore
    /// A customer spends purchased currency.
    case spend
    /// A spend with a lost answer is asked for again.
    case retrySpend = "retry_spend"
    /// A customer is given tickets that expire.
    case grant
    /// A customer spends tickets.
    case spendTickets = "spend_tickets"
    /// Time passes.
    case advance
    /// Days pass.
    case advanceDays = "advance_days"
    /// The backend is unreachable for the next events.
    case outage
  }

  /// Its position in the run, from 0.
  package let index: Int
  /// The kind of an event.
  package let kind: Kind
  /// The device.
  package let device: Int
  /// Chooses among the existing products, transactions or customers.
  package let choice: UInt64
  /// The fault injected meanwhile.
  package let injectedFault: InjectedFault?

  /// Makes the event at this position in the run of a seed.
  init(index: Int, settings: Simulation.Settings) {
    var generator = SimulationGenerator(seed: settings.seed, event: index)
    self.index = index
    kind = Self.kind(generator.below(Self.weightSum))
    device = generator.below(settings.deviceCount)
    choice = generator.next()
    injectedFault = generator.percent(settings.faultPercent) ? InjectedFault(&generator, settings) : nil
  }

  /// One line, such as `#17 purchase device 3 choice 0x2a (dies at crossing 4)`.
  package var description: String {
    let text = "#\(index) \(kind.rawValue) device \(device) choice 0x\(String(choice, radix: 16))"
    return injectedFault.map { "\(text) (\($0))" } ?? text
  }

  private static let weights: [(Kind, Int)] = [
    (.purchase, 300), (.cancel, 20), (.askToBuy, 25), (.approve, 18), (.decline, 6), (.subscribe, 12),
    (.buyElsewhere, 16), (.offerCode, 20), (.familyShare, 10), (.priceChange, 6), (.catalogGap, 8), (.redeliver, 25),
    (.duplicate, 25), (.refund, 45), (.reverseRefund, 20), (.notices, 50), (.maintenance, 20), (.foreground, 80),
    (.relaunch, 25), (.reinstall, 4), (.logIn, 25), (.logOut, 10), (.identify, 5), (.alias, 5), (.restore, 4),
    (.spend, 110), (.retrySpend, 20), (.grant, 40), (.spendTickets, 40), (.advance, 60), (.advanceDays, 2),
    (.outage, 5),
  ]

  private static let weightSum = weights.reduce(0) { $0 + $1.1 }

  private static func kind(_ number: Int) -> Kind {
    var left = number
    for (kind, weight) in weights {
      if left < weight { return kind }
      left -= weight
    }
    return .foreground
  }
}
