import GemLedger

/// Adds the probably intended name to an error that found none.
enum ErrorHint {
  /// A shorter id of a customer is as near to many others.
  private static let customerIDLengthMin = 4

  /// Returns the error with a suggestion, or the error itself if there is none.
  static func added(to error: LedgerError, _ invocation: Invocation) -> LedgerError {
    let codes: [LedgerError.Code] = [.itemNotFound, .unknownCurrency, .customerNotFound, .productNotFound]
    guard codes.contains(error.code), !error.details.contains(where: { $0.name == "suggestion" }),
      let word = quoted(error), error.code != .customerNotFound || word.count >= customerIDLengthMin
    else { return error }
    // A hint is optional: if the ledger cannot be read, the error stays as it is.
    guard
      let names = try? invocation.withLedger({ (ledger) throws(LedgerError) in try candidates(error.code, ledger) }),
      let nearest = Suggestion.nearest(to: word, among: names)
    else { return error }
    return LedgerError(
      error.code, "\(error.message) Did you mean \"\(nearest)\"?",
      details: error.details + [.text("suggestion", nearest)])
  }

  private static func candidates(_ code: LedgerError.Code, _ ledger: Ledger) throws(LedgerError) -> [String] {
    if code == .customerNotFound { return try Candidates.customers(in: ledger) }
    let catalog = try ledger.currentCatalog()
    switch code {
    case .itemNotFound: return catalog.items.map(\.id.text)
    case .productNotFound: return catalog.products.map(\.code.text)
    default: return catalog.currencies.map(\.code.description)
    }
  }

  /// The name that was not found: a detail of the error, or the quoted word of its message.
  private static func quoted(_ error: LedgerError) -> String? {
    if error.code == .unknownCurrency { return error.text("currency") }
    let parts = error.message.split(separator: "\"", maxSplits: 2, omittingEmptySubsequences: false)
    return parts.count == 3 ? String(parts[1]) : nil
  }
}
