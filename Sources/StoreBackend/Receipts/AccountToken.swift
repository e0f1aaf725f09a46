public import GemLedger

/// The buyer's token on a store transaction: StoreKit's `appAccountToken`, or Google Play's obfuscated account id.
///
/// A customer's derived token is a UUID computed from the customer's id, so client and backend compute it without a
/// request. It does not reveal the id. Tokens of stock SDKs name customers too: the id itself if it is a UUID, and on
/// Google Play the SHA-256 of the id (``init(obfuscated:)``).
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

  /// Reads a UUID in letters of any case; nil for another text.
  public init?(_ text: String) {
    guard text.utf8.count == 36, let (high, low) = HexForm.parseUUID(text.lowercased()) else { return nil }
    (self.high, self.low) = (high, low)
  }

  /// Reads an obfuscated account id of Google Play: a UUID, or the SHA-256 of a customer's id in Base64 or hexadecimal
  /// digits, as RevenueCat's SDK makes it.
  ///
  /// Nil for any other text.
  public init?(obfuscated text: String) {
    if let token = Self(text) {
      self = token
      return
    }
    guard let digest = Self.digest(text) else { return nil }
    self.init(digest: digest)
  }

  /// The token for the SHA-256 of an id: 122 of its bits, with a version and variant that no UUID has.
  ///
  /// - Parameter digest: At least 16 bytes.
  package init(digest: [UInt8]) {
    func word(_ start: Int) -> UInt64 { digest[start..<(start + 8)].reduce(0) { $0 << 8 | UInt64($1) } }
    high = word(0) & ~0xF000 | 0xF000
    low = word(8) | 3 << 62
  }

  /// Returns all tokens by which a store may name a customer: the derived token, the id itself if it is a UUID, and the
  /// id's digest.
  ///
  /// - Parameter digest: The SHA-256 of the id; nil without cryptography.
  static func all(of customer: CustomerID, digest: [UInt8]?) -> [Self] {
    let own = Self(of: customer)
    // An id that looks like another customer's token names no customer.
    let asUUID = Self(customer.text).flatMap { $0.isMadeOfID || $0.isMadeOfDigest ? nil : $0 }
    return [own] + [asUUID, digest.map(Self.init(digest:))].compactMap(\.self)
  }

  private static func digest(_ text: String) -> [UInt8]? {
    if text.utf8.count == 64 {
      let halves = Array(text.utf8).compactMap { Character(Unicode.Scalar($0)).hexDigitValue.map(UInt8.init) }
      return halves.count == 64 ? (0..<32).map { halves[2 * $0] << 4 | halves[2 * $0 + 1] } : nil
    }
    guard (43...44).contains(text.utf8.count) else { return nil }
    let digits = text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    return Base64URL.decode(Array(digits.utf8)).flatMap { $0.count == 32 ? $0 : nil }
  }

  /// Returns whether the token is one of the customer's tokens.
  func names(_ customer: CustomerID, digest: (String) -> [UInt8]?) -> Bool {
    self == Self(of: customer) || !isMadeOfID && Self.all(of: customer, digest: digest(customer.text)).contains(self)
  }

  var isMadeOfDigest: Bool { high >> 12 & 0xF == 0xF && low >> 62 == 3 }

  /// Whether it has the form of a derived token; apps from before may have UUIDs of other versions, made by other
  /// rules.
  var isMadeOfID: Bool { high >> 12 & 0xF == 8 && low >> 62 == 2 }

  /// The number of the token in the ledger.
  package var number: TokenNumber {
    TokenNumber(high: Int64(bitPattern: high), low: Int64(bitPattern: low))
  }

  /// A lower-case UUID.
  public var description: String { HexForm.uuid(high: high, low: low) }
}
