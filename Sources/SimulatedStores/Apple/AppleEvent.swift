internal import GemLedger

/// A change of an App-Store-like shop.
enum AppleEvent: StoreEvent {
  case settings(AppleSettings)
  /// A new transaction, or a replacement of the one with the same serial number.
  case row(AppleRow)
  /// The app has finished it; a separate event because it is by far the most frequent.
  case finished(UInt64)
  case deleted(UInt64)
  case subscription(AppleSubscription)
  case subscriptionDeleted(SubscriptionKey)
  /// No serial number up to this one is used again.
  case serial(UInt64)
  case common(CommonStoreEvent)

  func json() -> JSONValue {
    switch self {
    case .settings(let settings): return settings.record()
    case .row(let row): return row.record()
    case .finished(let serial): return Self.record("finished", serial)
    case .deleted(let serial): return Self.record("deleted", serial)
    case .serial(let serial): return Self.record("serial", serial)
    case .subscription(let subscription): return subscription.record()
    case .subscriptionDeleted(let key):
      var writer = ShopRecordWriter("subscription_deleted")
      writer.put("account", key.account)
      writer.put("product", key.productID)
      return writer.json
    case .common(let event): return event.json()
    }
  }

  private static func record(_ kind: String, _ serial: UInt64) -> JSONValue {
    var writer = ShopRecordWriter(kind)
    writer.put("serial", unsigned: serial)
    return writer.json
  }

  init(reading record: ShopRecordReader) throws(LedgerError) {
    switch try record["e"].text() {
    case "settings": self = .settings(try AppleSettings(reading: record))
    case "row": self = .row(try AppleRow(reading: record))
    case "finished": self = .finished(try record["serial"].unsigned())
    case "deleted": self = .deleted(try record["serial"].unsigned())
    case "serial": self = .serial(try record["serial"].unsigned())
    case "subscription": self = .subscription(try AppleSubscription(reading: record))
    case "subscription_deleted":
      self = .subscriptionDeleted(
        SubscriptionKey(account: try record["account"].text(), productID: try record["product"].text()))
    default: self = .common(try CommonStoreEvent(reading: record))
    }
  }
}
