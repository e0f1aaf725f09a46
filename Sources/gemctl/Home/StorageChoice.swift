import GemLedger

/// Where the ledger is kept.
enum StorageChoice: Hashable, Sendable {
  /// In the home's own file.
  case home
  /// Nowhere: it ends with the process.
  case memory
  /// In a file that `--storage` names.
  case file(String)

  /// Reads the value of `--storage`; nil means the home.
  ///
  /// - Throws: `LedgerError` with `invalid_request`.
  init(_ url: String?) throws(LedgerError) {
    guard let url else {
      self = .home
      return
    }
    if url == "memory:" {
      self = .memory
    } else if url.hasPrefix("sqlite:"), url.utf8.count > "sqlite:".utf8.count {
      self = .file(String(url.dropFirst("sqlite:".count)))
    } else if url.hasPrefix("postgres://") || url.hasPrefix("postgresql://") {
      // Not quoted: it may hold a password.
      throw .invalid("This build has no PostgreSQL; --storage takes memory: or sqlite:PATH.")
    } else {
      throw .invalid("--storage takes memory: or sqlite:PATH, not \(url.quotedForPeople).")
    }
  }
}
