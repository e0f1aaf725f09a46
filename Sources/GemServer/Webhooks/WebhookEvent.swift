#if Server
package import GemLedger

/// The body of a webhook message, in RevenueCat's form.
package struct WebhookEvent: Sendable {
  /// The current names of currencies in the catalog.
  package typealias CurrencyNames = [CurrencyCode: (name: String, description: String?)]

  /// The same for every attempt, so that the receiver recognizes repeated messages.
  package let id: String
  package let json: JSONValue

  package var body: [UInt8] { Array(json.text().utf8) }

  private init(id: String, _ event: JSONObject) {
    self.id = id
    json = ["api_version": "1.0", "event": .object(event)]
  }

  /// The message about an event of the feed.
  ///
  /// - Parameters:
  ///   - ids: All ids of the customer, the original id first.
  ///   - attributes: The customer's attributes.
  ///   - appID: The project's id.
  package init(
    _ event: FeedEvent, ids: [CustomerID], names: CurrencyNames, attributes: CustomerAttributes = CustomerAttributes(),
    appID: String
  ) {
    let (booking, purchase) = (event.record.booking, event.purchase)
    let id = booking.transactionID?.description ?? ""
    var object: JSONObject = [
      "type": .string(Self.transactionType), "id": .string(id),
      "event_timestamp_ms": .integer(booking.createdAt.milliseconds), "app_id": .string(appID),
      "app_user_id": .string(booking.customer.text),
      "original_app_user_id": .string((ids.first ?? booking.customer).text),
      "aliases": .array(ids.map { .string($0.text) }), "adjustments": Self.adjustments(booking, names),
      "virtual_currency_transaction_id": .string(id),
    ]
    object["transaction_id"] = JSONValue(purchase?.storeTransactionID.text)
    object["product_id"] = JSONValue(purchase.map { $0.storeProductID ?? $0.product.text })
    object["product_display_name"] = JSONValue(purchase?.productName)
    object["purchase_environment"] = JSONValue(purchase.map { Self.environment($0.environment) })
    object["source"] = .string(purchase == nil ? "admin_api" : "in_app_purchase")
    object["kind"] = .string(booking.kind.name)
    object["store"] = JSONValue(purchase.map { Self.store($0.store) })
    object["country_code"] = .null
    object["subscriber_attributes"] = attributes.subscriberAttributes
    object["experiments"] = []
    object["virtual_currencies"] = Self.balances(booking)
    object["reference"] = JSONValue(event.record.reference?.text)
    object["merged"] = event.merged.map { Self.merged($0, names) } ?? .null
    self.init(id: id, object)
  }

  /// The type of a message about a transaction.
  static let transactionType = "VIRTUAL_CURRENCY_TRANSACTION"

  /// Returns a message that tests a receiver.
  package static func test(id: String, at now: Timestamp, appID: String) -> Self {
    Self(
      id: id,
      [
        "type": "TEST", "id": .string(id), "event_timestamp_ms": .integer(now.milliseconds), "app_id": .string(appID),
      ])
  }

  // MARK: Parts

  private static func adjustments(_ booking: Booking, _ names: CurrencyNames) -> JSONValue {
    .array(
      booking.entries.map { entry in
        let currency = names[entry.currency]
        return [
          "amount": .integer(entry.amount),
          "currency": [
            "code": .string(entry.currency.description),
            "name": .string(currency?.name ?? entry.currency.description),
            "description": JSONValue(currency?.description),
          ],
        ]
      })
  }

  /// The resulting balances with held amounts; a currency's last entry has its final balance.
  private static func balances(_ booking: Booking) -> JSONValue {
    var balances = JSONObject()
    for entry in booking.entries {
      balances[entry.currency.description] = ["balance": .integer(entry.balance), "debt": .integer(entry.debt)]
    }
    return .object(balances)
  }

  private static func merged(_ booking: Booking, _ names: CurrencyNames) -> JSONValue {
    [
      "app_user_id": .string(booking.customer.text), "adjustments": adjustments(booking, names),
      "virtual_currencies": balances(booking),
    ]
  }

  private static func environment(_ environment: StoreEnvironment) -> String {
    environment == .production ? "PRODUCTION" : "SANDBOX"
  }

  private static func store(_ store: Store) -> String {
    switch store {
    case .apple: "APP_STORE"
    case .google: "PLAY_STORE"
    case .amazon: "AMAZON"
    default: "TEST_STORE"
    }
  }
}

// MARK: From the ledger

extension WebhookEvent {
  /// Loads the message about an event, with the customer's current ids and the current names of currencies.
  static func load(_ event: FeedEvent, from ledger: Ledger, appID: String) throws(LedgerError) -> Self {
    try ledger.reading { (snapshot, definitions) throws(LedgerError) -> Self in
      var names: CurrencyNames = [:]
      for entry in event.bookings.flatMap(\.entries) {
        guard let number = definitions.currency(entry.currency)?.number else { continue }
        names[entry.currency] = (definitions.name(of: number), definitions.description(of: number))
      }
      let (ids, attributes) = try person(event.owner, in: snapshot)
      return Self(event, ids: ids, names: names, attributes: attributes, appID: appID)
    }
  }

  /// Returns the customer's ids and attributes; an unknown id is returned as the only id.
  private static func person(
    _ customer: CustomerID, in snapshot: any StorageSnapshot
  ) throws(LedgerError) -> ([CustomerID], CustomerAttributes) {
    let finder = CustomerFinder(snapshot)
    do throws(LedgerError) {
      let found = try finder.customer(customer)
      guard let row = try snapshot.customer(number: found.number) else { return ([customer], CustomerAttributes()) }
      return (try finder.ids(of: row), try finder.attributes(of: found))
    } catch {
      guard error.code == .customerNotFound else { throw error }
      return ([customer], CustomerAttributes())
    }
  }
}

extension FeedEvent {
  /// The transaction's booking, and the other customer's side of a merge.
  fileprivate var bookings: [Booking] { [record.booking] + (merged.map { [$0] } ?? []) }

  /// The customer of the transaction; events are delivered in the order of this customer's transactions.
  var owner: CustomerID { record.booking.customer }

  /// All customers with changed balances.
  var customers: [CustomerID] { [owner] + (merged.map { [$0.customer] } ?? []) }

  /// Whether it changed a balance; other events are not sent.
  var isSent: Bool { bookings.contains { !$0.entries.isEmpty } }

  /// - Throws: `LedgerError` with `storage_damaged`.
  func transaction() throws(LedgerError) -> TransactionID {
    guard let id = record.booking.transactionID else { throw .defect("An event of the feed has no transaction") }
    return id
  }
}
#endif
