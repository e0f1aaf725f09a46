#if Server
package import GemLedger
internal import StoreReceipts

extension WebhookEndpoint {
  /// A secret that signs beside the newer one until receivers know that.
  package struct PreviousSecret: Hashable, Sendable {
    package let text: String
    /// The first instant at which it signs no longer.
    package let endsAt: Timestamp
  }

  /// How many secrets may sign beside the newest one.
  package static let previousSecretCountMax = 4

  /// The secrets that sign a message, the newest one first.
  package func secrets(at instant: Timestamp) -> [String] {
    [secret] + previousSecrets.filter { instant < $0.endsAt }.map(\.text)
  }

  /// Gives the endpoint a new secret; all earlier ones sign no longer than until the end of the overlap.
  ///
  /// - Throws: `LedgerError` with `limit_exceeded` where too many secrets sign already; one without overlap is
  ///   possible then.
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

  init?(_ json: JSONValue) {
    guard let text = json["secret"]?.text, let endsAt = json["ends_at"]?.instant else { return nil }
    self.init(text: text, endsAt: endsAt)
  }
}
#endif
