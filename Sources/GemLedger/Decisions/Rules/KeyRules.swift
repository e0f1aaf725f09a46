/// The answers of a key to repeated calls.
enum KeyRules {
  /// The refusal as the answer to a repeated call.
  static func replayed(_ refusal: LedgerError) -> LedgerError {
    var error = LedgerError(
      refusal.code,
      refusal.message + " This is the answer that the key had before; use a new key to try again.",
      details: refusal.details)
    error.isReplayed = true
    return error
  }
}
