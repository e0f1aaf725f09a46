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
  /// Returns the app's value for a key of the offering's metadata; nil if there is no value of this type.
  public func getMetadataValue<Value: Decodable>(for key: String) -> Value? {
    guard let fields = try? JSONDecoder().decode([String: Lenient<Value>].self, from: Data(metadataJSON.utf8)) else {
      // Metadata that is not an object has no values.
      return nil
    }
    return fields[key]?.value
  }
}

/// A value, if it has the requested type: the other fields of the object may have any type.
private struct Lenient<Value: Decodable>: Decodable {
  let value: Value?

  init(from decoder: any Decoder) throws {
    // A value of another type is ignored, and does not fail the whole object.
    value = try? decoder.singleValueContainer().decode(Value.self)
  }
}
