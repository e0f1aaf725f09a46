#if Server
package import GemLedger

/// The receiver of a project's events.
package struct WebhookEndpoint: Hashable, Sendable {
  package enum State: String, Hashable, Sendable, CaseIterable {
    case active
    /// Nothing is sent; after reactivation the delivery resumes at its cursor.
    case disabled
  }

  package let id: String
  package var name: String?
  package var url: String
  /// The secret that signs the messages: `whsec_` and base64.
  package var secret: String
  /// Earlier secrets that also sign until they expire, the newest first.
  package var previousSecrets: [PreviousSecret] = []
  /// The value of the header `Authorization`.
  package var authorization: String?
  /// Selects the events that are sent.
  package var filter = WebhookFilter()
  package var state: State
  /// The reason for which the server disabled the endpoint.
  package var disabledReason: String?
  package let createdAt: Timestamp

  package init(
    id: String, name: String? = nil, url: String, secret: String, authorization: String? = nil, state: State = .active,
    createdAt: Timestamp
  ) {
    self.id = id
    self.name = name
    self.url = url
    self.secret = secret
    self.authorization = authorization
    self.state = state
    self.createdAt = createdAt
  }

  /// Checks the address of an endpoint.
  ///
  /// Whether its host may be reached is checked before each message, by the host's IP address.
  ///
  /// - Throws: `LedgerError` with `invalid_request`.
  package static func check(url: String) throws(LedgerError) {
    let scheme = ["https://", "http://"].first { url.lowercased().hasPrefix($0) }
    guard let scheme, url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
      !url.contains(where: { "#\\\"<>^`{|}".contains($0) })
    else { throw .parameter("url", "has to be an address such as https://example.com/hook") }
    let authority = url.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" }
    guard !authority.isEmpty, !authority.hasPrefix(":"), !authority.contains("@") else {
      throw .parameter("url", "has to name a host, without a user or a password")
    }
  }
}

// MARK: As a document

extension WebhookEndpoint {
  package var json: JSONValue {
    var object: JSONObject = [
      "id": .string(id), "name": JSONValue(name), "url": .string(url), "secret": .string(secret),
      "previous_secrets": .array(previousSecrets.map(\.json)),
      "authorization": JSONValue(authorization), "state": .string(state.rawValue),
      "disabled_reason": JSONValue(disabledReason), "created_at": .integer(createdAt.milliseconds),
    ]
    for (name, value) in filter.members { object[name] = value }
    return .object(object)
  }

  package init(reading document: StoredJSON) throws(LedgerError) {
    self.init(
      id: try document["id"].text(), name: try document["name"].optional?.text(), url: try document["url"].text(),
      secret: try document["secret"].text(), authorization: try document["authorization"].optional?.text(),
      state: try document["state"].word(), createdAt: try document["created_at"].instant())
    disabledReason = try document["disabled_reason"].optional?.text()
    filter = WebhookFilter(document.value ?? .null)
    previousSecrets = try document["previous_secrets"].optional?.elements().map(PreviousSecret.init(reading:)) ?? []
  }
}
#endif
