internal import GemLedger

/// Parts of settings that both kinds of shop write alike, in one order, so that equal settings are equal texts.
enum SettingsRecord {
  static func json(_ errors: [StoreAPI: SimulatedError]) -> JSONValue {
    object(errors.map { ($0.rawValue, $1.record()) })
  }

  static func json(_ states: [ByteString: ProductState]) -> JSONValue {
    object(states.map { ($0.text, .string($1.rawValue)) })
  }

  static func json(_ prices: [ByteString: [StorefrontCode: Price]]) -> JSONValue {
    object(prices.map { ($0.text, object($1.map { ($0.description, $1.record()) })) })
  }

  static func object(_ members: [(String, JSONValue)]) -> JSONValue {
    .object(JSONObject(members.sorted { ByteString($0.0) < ByteString($1.0) }))
  }

  static func errors(_ record: ShopRecordReader) throws(LedgerError) -> [StoreAPI: SimulatedError] {
    var errors: [StoreAPI: SimulatedError] = [:]
    for (name, error) in try record.members() {
      guard let api = StoreAPI(rawValue: name) else { throw ShopRecordReader.damaged("there is no call \(name)") }
      errors[api] = try SimulatedError(reading: error)
    }
    return errors
  }

  static func offerCodes(_ record: ShopRecordReader) throws(LedgerError) -> [ByteString: OfferCode] {
    var codes: [ByteString: OfferCode] = [:]
    for (name, code) in try record.members() {
      // Stores of before kept the product alone.
      codes[ByteString(name)] =
        if let product = code.value?.text { OfferCode(productID: product, identifier: name) } else {
          try OfferCode(reading: code)
        }
    }
    return codes
  }

  static func prices(_ record: ShopRecordReader) throws(LedgerError) -> [ByteString: [StorefrontCode: Price]] {
    var prices: [ByteString: [StorefrontCode: Price]] = [:]
    for (product, list) in try record.members() {
      for (name, price) in try list.members() {
        guard let storefront = StorefrontCode(exactly: name) else {
          throw ShopRecordReader.damaged("there is no storefront \(name)")
        }
        prices[ByteString(product), default: [:]][storefront] = try Price(reading: price)
      }
    }
    return prices
  }

  static func states(_ record: ShopRecordReader) throws(LedgerError) -> [ByteString: ProductState] {
    var states: [ByteString: ProductState] = [:]
    for (name, state) in try record.members() { states[ByteString(name)] = try state.word() as ProductState }
    return states
  }
}
