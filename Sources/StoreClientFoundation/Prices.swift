extension Price {
  /// The exact amount, such as 9.99.
  public var amount: Decimal {
    Decimal(
      sign: minorUnits < 0 ? .minus : .plus, exponent: -currency.minorUnitDigits,
      significand: Decimal(minorUnits.magnitude))
  }
}

extension StoreProduct {
  /// The exact price of one unit without a discount.
  public var price: Decimal { unitPrice.amount }
}

extension Offerings.Offering {
  /// The app's own value under a key of the offering's metadata; nil where there is none of this type.
  public func getMetadataValue<Value: Decodable>(for key: String) -> Value? {
    guard let fields = try? JSONDecoder().decode([String: Lenient<Value>].self, from: Data(metadataJSON.utf8)) else {
      // Metadata that is no object has no values.
      return nil
    }
    return fields[key]?.value
  }
}

/// A value, where it has the wanted type: the other fields of the same object may have any.
private struct Lenient<Value: Decodable>: Decodable {
  let value: Value?

  init(from decoder: any Decoder) throws {
    // Another type is no value, and no failure of the whole.
    value = try? decoder.singleValueContainer().decode(Value.self)
  }
}
