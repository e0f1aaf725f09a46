public import GemLedger

/// The buyer's token on a store transaction: a UUID for StoreKit's `appAccountToken` and Google Play's obfuscated
/// account id.
///
/// A customer's token is derived from the customer's id, so client and backend compute it without a request. It does
/// not reveal the id.
public struct AccountToken: Hashable, Sendable, CustomStringConvertible {
  private let high: UInt64
  private let low: UInt64

  /// The token of a customer: a UUID of version 8.
  public init(of customer: CustomerID) {
    func word(seed: UInt64) -> UInt64 {
      var hash = StableHash(seed: seed)
      hash.combine(customer.text)
      return hash.value
    }
    high = word(seed: 0x6163_636F) & ~0xF000 | 8 << 12
    low = 2 << 62 | word(seed: 0x746F_6B65) >> 2
  }

  /// Reads a lower-case UUID, or gives nil where the text is none.
  public init?(_ text: String) {
    guard let (high, low) = HexForm.parseUUID(text) else { return nil }
    (self.high, self.low) = (high, low)
  }

  /// Whether it has the form of a customer's token; apps of before made UUIDs of other versions, by rules of their own.
  var isMadeOfID: Bool { high >> 12 & 0xF == 8 && low >> 62 == 2 }

  /// The number that the ledger knows it by.
  package var number: TokenNumber {
    TokenNumber(high: Int64(bitPattern: high), low: Int64(bitPattern: low))
  }

  /// A lower-case UUID.
  public var description: String { HexForm.uuid(high: high, low: low) }
}
