#if Server
package import GemLedger
internal import StoreReceipts

extension WebhookEndpoint {
  /// An earlier secret that also signs messages until receivers use the new secret.
  package struct PreviousSecret: Hashable, Sendable {
    package let text: String
    /// The first instant at which it no longer signs.
    package let endsAt: Timestamp
  }

  /// The maximum number of earlier secrets that sign in addition to the newest secret.
  package static let previousSecretCountMax = 4

  /// Returns the secrets that sign a message, the newest first.
  package func secrets(at instant: Timestamp) -> [String] {
    [secret] + previousSecrets.filter { instant < $0.endsAt }.map(\.text)
  }

  /// Gives the endpoint a new secret; all earlier secrets expire at the end of the overlap at the latest.
  ///
  /// - Throws: `LedgerError` with `limit_exceeded` if too many earlier secrets still sign; a rotation without overlap
  ///   is always possible.
  mutating func rotateSecret(at now: Timestamp, overlapSeconds: Int64) throws(LedgerError) {
    let endsAt = now.advanced(milliseconds: overlapSeconds * 1000)
    let earlier = [PreviousSecret(text: secret, endsAt: endsAt)] + previousSecrets
    let kept = earlier.map { PreviousSecret(text: $0.text, endsAt: min($0.endsAt, endsAt)) }.filter { now < $0.endsAt }
    guard kept.count <= Self.previousSecretCountMax else {
      throw LedgerError(
        .limitExceeded,
        "\(kept.count) earlier secrets of this endpoint would sign; \(Self.previousSecretCountMax) may. Wait for the "
          + "end of one, or end them all with \"overlap_seconds\": 0.")
    }
    previousSecrets = kept
    secret = WebhookSecret().text
  }
}

// MARK: As a document

extension WebhookEndpoint.PreviousSecret {
  var json: JSONValue { ["secret": .string(text), "ends_at": .integer(endsAt.milliseconds)] }

  init(reading document: StoredJSON) throws(LedgerError) {
    self.init(text: try document["secret"].text(), endsAt: try document["ends_at"].instant())
  }
}
#endif
