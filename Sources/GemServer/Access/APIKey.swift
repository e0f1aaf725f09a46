#if Server
package import GemLedger
internal import SystemCrypto

/// A key that identifies a server or an app, in its stored form without the secret part.
package struct APIKey: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// Moves currency; without scopes it may do everything.
    case secret(scopes: [Scope])
    /// Reads, logs in and posts receipts; it is public, since it is part of an app.
    case app(AppStoreKind)

    /// The prefix of keys of this kind.
    package var prefix: String {
      switch self {
      case .secret: "sk_"
      case .app(let store): store.prefix
      }
    }
  }

  package let id: String
  package let kind: Kind
  /// The SHA-256 of the whole key, which is random and therefore cannot be guessed.
  package let digest: [UInt8]
  package let createdAt: Timestamp
  package var revokedAt: Timestamp?

  package init(id: String, kind: Kind, digest: [UInt8], createdAt: Timestamp, revokedAt: Timestamp? = nil) {
    self.id = id
    self.kind = kind
    self.digest = digest
    self.createdAt = createdAt
    self.revokedAt = revokedAt
  }

  /// The number of characters after the prefix that form the id; the rest is the secret.
  private static let idLength = 12
  private static let secretLength = 32

  /// Creates a key; its text cannot be shown again.
  package static func make(_ kind: Kind, at now: Timestamp) -> (key: APIKey, text: String) {
    // The system's generator is unpredictable.
    let random = (0..<idLength + secretLength).map { _ in alphabet[Int.random(in: alphabet.indices)] }
    let id = String(decoding: random.prefix(idLength), as: UTF8.self)
    let text = kind.prefix + String(decoding: random, as: UTF8.self)
    return (APIKey(id: id, kind: kind, digest: TextDigest.sha256(of: text), createdAt: now), text)
  }

  /// Digits and lower-case letters, without look-alikes.
  private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

  /// Returns the id in a key's text; nil if the text is not a key.
  package static func id(in text: String) -> String? {
    guard let end = text.utf8.firstIndex(of: UInt8(ascii: "_")) else { return nil }
    let rest = text.utf8[text.utf8.index(after: end)...]
    guard rest.count == idLength + secretLength else { return nil }
    return String(rest.prefix(idLength))
  }

  /// Returns whether a text can be a key's id.
  static func isID(_ text: String) -> Bool {
    text.utf8.count == idLength && text.utf8.allSatisfy { alphabet.contains($0) }
  }

  /// Returns whether this is the key's text, in constant time.
  package func isText(_ text: String) -> Bool { Crypto.areEqual(digest, TextDigest.sha256(of: text)) }
}
#endif
