#if Server
internal import GemLedger

/// Which events may be sent while some customers wait; pure.
///
/// An event of a waiting customer is passed over: it is read from the customer's history later. A merge concerns two
/// customers; it waits where the other one waits, and its own customer then waits behind it.
struct WebhookOrder: Sendable {
  enum Decision: Hashable, Sendable {
    case send
    case pass
    /// The customer has to wait behind this event.
    case wait
  }

  /// Customers that wait behind an event of their own.
  private var waiting: Set<CustomerID> = []
  /// All customers of those events.
  private var concerned: Set<CustomerID> = []
  private let filter: WebhookFilter

  init(behind events: some Sequence<FeedEvent>, filter: WebhookFilter) {
    self.filter = filter
    for event in events { add(event) }
  }

  func decide(_ event: FeedEvent) -> Decision {
    if !filter.takes(event) || waiting.contains(event.owner) { return .pass }
    return concerned.isDisjoint(with: event.customers) ? .send : .wait
  }

  /// The event's customer waits behind it from now on.
  mutating func add(_ event: FeedEvent) {
    waiting.insert(event.owner)
    concerned.formUnion(event.customers)
  }

  /// Parts the events so that those of one customer are together: the parts may be sent side by side.
  ///
  /// - Returns: The indices of the events of each part, in their order.
  static func parts(of events: [FeedEvent]) -> [[Int]] {
    var partOfCustomer: [CustomerID: Int] = [:]
    var parts: [[Int]] = []
    for (index, event) in events.enumerated() {
      let found = Set(event.customers.compactMap { partOfCustomer[$0] }).sorted()
      let part = found.first ?? parts.count
      if found.isEmpty { parts.append([]) }
      // A merge joins the parts of its two customers.
      for other in found.dropFirst() {
        parts[part] = (parts[part] + parts[other]).sorted()
        parts[other] = []
        for (customer, old) in partOfCustomer where old == other { partOfCustomer[customer] = part }
      }
      parts[part].append(index)
      for customer in event.customers { partOfCustomer[customer] = part }
    }
    return parts.filter { !$0.isEmpty }
  }
}
#endif
