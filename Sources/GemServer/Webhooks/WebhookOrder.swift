#if Server
internal import GemLedger

/// Decides which events may be sent while some customers wait; pure.
///
/// An event of a waiting customer is skipped, and read later from the customer's history. A merge concerns two
/// customers: if the other customer waits, the merge waits too, and so do its owner's later events.
struct WebhookOrder: Sendable {
  enum Decision: Hashable, Sendable {
    case send
    case pass
    /// The customer must wait for this event.
    case wait
  }

  /// Customers with a waiting event.
  private var waiting: Set<CustomerID> = []
  /// All customers that those events concern.
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

  /// Makes the event's customer wait for it.
  mutating func add(_ event: FeedEvent) {
    waiting.insert(event.owner)
    concerned.formUnion(event.customers)
  }

  /// Groups the events by customer; different groups may be sent concurrently.
  ///
  /// - Returns: The indices of each group's events, in their order.
  static func parts(of events: [FeedEvent]) -> [[Int]] {
    var partOfCustomer: [CustomerID: Int] = [:]
    var parts: [[Int]] = []
    for (index, event) in events.enumerated() {
      let found = Set(event.customers.compactMap { partOfCustomer[$0] }).sorted()
      let part = found.first ?? parts.count
      if found.isEmpty { parts.append([]) }
      // A merge joins the groups of its two customers.
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
