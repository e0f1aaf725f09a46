#if Server
internal import GemLedger
internal import SystemCrypto

extension APIKey {
  /// The stored form of the key, without its secret part.
  var document: JSONValue {
    var document: JSONObject = [
      "id": .string(id), "sha256": .string(Hex.text(digest)), "created_at": .integer(createdAt.milliseconds),
    ]
    switch kind {
    case .secret(let scopes): document["scopes"] = .array(scopes.map { .string($0.description) })
    case .app(let store): document["store"] = .string(store.rawValue)
    }
    document["revoked_at"] = JSONValue(revokedAt?.milliseconds)
    return .object(document)
  }

  /// Reads the form of ``document``; nil for any other form.
  init?(_ document: JSONValue) {
    guard let id = document["id"]?.text, let created = document["created_at"]?.integer,
      let digest = (document["sha256"]?.text).flatMap({ Hex.bytes(Array($0.utf8)) })
    else { return nil }
    let kind: Kind
    if let store = (document["store"]?.text).flatMap(AppStoreKind.init(rawValue:)) {
      kind = .app(store)
    } else if let list = document["scopes"]?.array {
      let scopes = list.compactMap { $0.text.flatMap(Scope.init(text:)) }
      guard scopes.count == list.count else { return nil }
      kind = .secret(scopes: scopes)
    } else {
      return nil
    }
    self.init(
      id: id, kind: kind, digest: digest, createdAt: Timestamp(milliseconds: created),
      revokedAt: (document["revoked_at"]?.integer).map { Timestamp(milliseconds: $0) })
  }
}
#endif
