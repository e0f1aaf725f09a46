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

  init(reading document: StoredJSON) throws(LedgerError) {
    let kind: Kind
    if let store = document["store"].optional {
      kind = .app(try store.word())
    } else {
      kind = .secret(
        scopes: try document["scopes"].elements().map { (scope) throws(LedgerError) in
          try scope.word(Scope.init(text:))
        })
    }
    self.init(
      id: try document["id"].text(), kind: kind,
      digest: try document["sha256"].word { Hex.bytes(Array($0.utf8)) },
      createdAt: try document["created_at"].instant(), revokedAt: try document["revoked_at"].optional?.instant())
  }
}
#endif
