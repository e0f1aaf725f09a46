internal import StoreClient

/// The words for faults: those of `gemctl store fault` and of the simulator over HTTP.
extension StoreFault.Effect {
  /// The word of ``delay(_:)``, whose length is a separate argument.
  package static let delayWord = "delay"
  /// The failures of a call; `networkError` happens before any effect.
  package static let failureWords = StoreFailure.allCases.map(\.rawValue)
  /// The words for all other effects.
  package static let otherWords = plain.map(\.text) + [delayWord] + VerificationFailure.allCases.map(\.rawValue)

  /// All words that ``init(word:delay:)`` takes.
  package static let words = failureWords + otherWords + cuts.map(\.text)
  /// Those of a single payment.
  package static let paymentWords =
    failureWords + [Self.cancel, .reportsCancelled, .reportsPending, .interrupt].map(\.text) + cuts.map(\.text)

  private static let plain: [Self] = [
    .cancel, .reportsCancelled, .reportsPending, .askToBuy, .interrupt, .duplicate, .reorder,
  ]
  private static let cuts: [Self] = [.networkCutBefore, .networkCutAfter]

  /// Returns the effect of a word; nil if the word is unknown.
  package init?(word: String, delay length: Duration) {
    if word == Self.delayWord {
      self = .delay(length)
    } else if let effect = (Self.plain + Self.cuts).first(where: { $0.text == word }) {
      self = effect
    } else if let failure = VerificationFailure(rawValue: word) {
      self = .unverified(failure)
    } else if let failure = StoreFailure(rawValue: word) {
      self = failure == .networkError ? .networkCutBefore : .failure(failure)
    } else {
      return nil
    }
  }
}
