#if Server
package import GemLedger

/// Selects the events that an endpoint receives; a nil member excludes nothing.
package struct WebhookFilter: Hashable, Sendable {
  /// The environment of purchases; an event without a purchase counts as production.
  package enum Environment: String, Hashable, Sendable, CaseIterable {
    case production
    case sandbox
  }

  package var environment: Environment?
  /// The types in lower case, as RevenueCat's API writes them.
  package var eventTypes: [String]?
  /// The store of the sent purchases; a product's store represents its app.
  package var appID: String?

  package init() {}

  /// Returns whether a message about the event is sent.
  package func takes(_ event: FeedEvent) -> Bool {
    guard event.isSent else { return false }
    if let eventTypes, !eventTypes.contains(WebhookEvent.transactionType.lowercased()) { return false }
    if let environment {
      let isProduction = event.purchase.map { $0.environment == .production } ?? true
      guard isProduction == (environment == .production) else { return false }
    }
    if let appID { return event.purchase?.store.description == appID }
    return true
  }
}

// MARK: As a document

extension WebhookFilter {
  var members: [(String, JSONValue)] {
    [
      ("environment", JSONValue(environment?.rawValue)),
      ("event_types", eventTypes.map { .array($0.map(JSONValue.string)) } ?? .null), ("app_id", JSONValue(appID)),
    ]
  }

  init(_ json: JSONValue) {
    environment = json["environment"]?.text.flatMap(Environment.init(rawValue:))
    eventTypes = json["event_types"]?.array?.compactMap(\.text)
    appID = json["app_id"]?.text
  }
}
#endif
