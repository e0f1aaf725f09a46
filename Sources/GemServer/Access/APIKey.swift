#if Server
package import GemLedger
internal import SystemCrypto

/// A key by which a server or an app names itself, as the server keeps it: without its secret part.
package struct APIKey: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// Moves currency; with no scopes it may do everything.
    case secret(scopes: [Scope])
    /// Reads, logs in and posts receipts: it lies in an app, so everybody knows it.
    case app(AppStoreKind)

    /// What a key of this kind begins with.
    package var prefix: String {
      switch self {
      case .secret: "sk_"
      case .app(let store): store.prefix
      }
    }
  }

  package let id: String
  package let kind: Kind
  /// The SHA-256 of the whole key: it is random, so nobody finds it by guessing.
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

  /// How many characters of a key's text name it, behind the prefix; the rest is its secret.
  private static let idLength = 12
  private static let secretLength = 32

  /// Makes a key; its text is shown this once.
  package static func make(_ kind: Kind, at now: Timestamp) -> (key: APIKey, text: String) {
    // The system's generator, which nobody can guess.
    let random = (0..<idLength + secretLength).map { _ in alphabet[Int.random(in: alphabet.indices)] }
    let id = String(decoding: random.prefix(idLength), as: UTF8.self)
    let text = kind.prefix + String(decoding: random, as: UTF8.self)
    return (APIKey(id: id, kind: kind, digest: TextDigest.sha256(of: text), createdAt: now), text)
  }

  /// Digits and small letters without those that look alike.
  private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

  /// The id in a key's text; nil where it is no key.
  package static func id(in text: String) -> String? {
    guard let end = text.utf8.firstIndex(of: UInt8(ascii: "_")) else { return nil }
    let rest = text.utf8[text.utf8.index(after: end)...]
    guard rest.count == idLength + secretLength else { return nil }
    return String(rest.prefix(idLength))
  }

  /// Whether a text could be a key's id.
  static func isID(_ text: String) -> Bool {
    text.utf8.count == idLength && text.utf8.allSatisfy { alphabet.contains($0) }
  }

  /// Whether this is the key's text; takes as long whatever differs.
  package func isText(_ text: String) -> Bool { Crypto.areEqual(digest, TextDigest.sha256(of: text)) }
}
#endif
