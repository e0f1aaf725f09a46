import GemLedger
import GemLedgerSQLite

#if PostgreSQL
import GemLedgerPostgres
#endif

/// The storage of the ledger.
enum StorageChoice: Hashable, Sendable {
  /// The home's file.
  case home
  /// Nowhere: it ends with the process.
  case memory
  /// In a file that `--storage` names.
  case file(String)
  /// In a schema of a PostgreSQL database; the URL may hold a password, and is never printed.
  case postgres(String)

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
      #if PostgreSQL
      self = .postgres(url)
      #else
      // Not quoted: it may hold a password.
      throw .invalid(
        "This build has no PostgreSQL; --storage takes memory: or sqlite:PATH. Build one that has it, with libpq "
          + "installed: swift build -c release --traits PostgreSQL")
      #endif
    } else {
      throw .invalid(
        "--storage takes memory:, sqlite:PATH or postgres://USER@HOST/DATABASE, not \(Self.shown(url)).")
    }
  }

  /// Returns the text up to the first possible beginning of a password.
  private static func shown(_ url: String) -> String {
    guard let end = url.utf8.firstIndex(of: UInt8(ascii: ":")), url[end...].utf8.contains(UInt8(ascii: "@")) else {
      return url.quotedForPeople
    }
    return "\(url[...end])…".quotedForPeople
  }
}

// MARK: Opening

extension StorageChoice {
  /// Opens the existing ledger.
  ///
  /// - Parameters:
  ///   - home: The home, for its file.
  ///   - clock: The ledger's clock.
  func open(_ home: Home, clock: LedgerClock = .system) throws(LedgerError) -> Ledger {
    switch self {
    case .home:
      guard FileAccess.exists(home.ledgerPath), !home.isUnfinished else { throw home.missing }
      return try .openSQLite(at: home.ledgerPath, clock: clock)
    case .file(let path): return try .openSQLite(at: path, clock: clock)
    case .postgres(let url):
      #if PostgreSQL
      return try .openPostgres(at: url, clock: clock)
      #else
      throw .defect("A build without PostgreSQL accepted a PostgreSQL URL: \(Self.scheme(url))")
      #endif
    case .memory:
      let ledger = Ledger.inMemory(clock: clock)
      try ledger.apply(try BuiltInCatalog.load())
      return ledger
    }
  }

  /// Makes a ledger with the content of a new home; a new file is removed with an abandoned draft.
  ///
  /// If an earlier process began this home, its ledger is continued.
  ///
  /// - Parameter fill: Fills the ledger; its argument is whether the ledger is new.
  func make(
    for draft: HomeDraft, _ fill: (Ledger, _ isNew: Bool) throws(LedgerError) -> Void
  ) throws(LedgerError) {
    switch self {
    case .home: try Self.makeFile(draft.home.ledgerPath, for: draft, fill)
    case .file(let path):
      try draft.removeUnusedLedger()
      try Self.makeFile(path, for: draft, fill)
    case .postgres(let url):
      #if PostgreSQL
      try draft.removeUnusedLedger()
      // A schema is not taken back: the next attempt finds it, and continues it by this draft.
      draft.isBoundElsewhere = draft.isTakenOver
      do throws(LedgerError) {
        let (ledger, isNew) = try Self.make(for: draft) { () throws(LedgerError) in
          try Ledger.createPostgres(at: url)
        } open: { () throws(LedgerError) in
          try Ledger.openPostgres(at: url)
        }
        defer { ledger.close() }
        draft.isBoundElsewhere = true
        try fill(ledger, isNew)
      } catch {
        // Others use that ledger; or it is unknown whether it is there.
        if error.code == .alreadyExists { draft.isBoundElsewhere = false }
        if error.code == .outcomeUnknown { draft.isBoundElsewhere = true }
        throw error
      }
      #else
      throw .defect("A build without PostgreSQL accepted a PostgreSQL URL: \(Self.scheme(url))")
      #endif
    case .memory: throw LedgerError.memoryEnds
    }
  }

  private static func makeFile(
    _ path: String, for draft: HomeDraft, _ fill: (Ledger, Bool) throws(LedgerError) -> Void
  ) throws(LedgerError) {
    // SQLite gives its other files the mode of this file. An existing file keeps its mode.
    if try FileAccess.create(path) { draft.madeLedger = path }
    try fillFile(path, for: draft, fill)
    try FileAccess.synchronize(path)
    try FileAccess.synchronizeDirectory(of: path)
  }

  private static func fillFile(
    _ path: String, for draft: HomeDraft, _ fill: (Ledger, Bool) throws(LedgerError) -> Void
  ) throws(LedgerError) {
    let (ledger, isNew) = try make(for: draft) { () throws(LedgerError) in
      try Ledger.createSQLite(at: path)
    } open: { () throws(LedgerError) in
      try Ledger.openSQLite(at: path)
    }
    defer { ledger.close() }
    try fill(ledger, isNew)
  }

  /// Returns a new ledger, or the ledger that an interrupted process made for this home.
  private static func make(
    for draft: HomeDraft, create: () throws(LedgerError) -> Ledger, open: () throws(LedgerError) -> Ledger
  ) throws(LedgerError) -> (ledger: Ledger, isNew: Bool) {
    do throws(LedgerError) { return (try create(), true) } catch {
      guard error.code == .alreadyExists, draft.isTakenOver else { throw error }
      let ledger = try open()
      do throws(LedgerError) {
        if try draft.isFirst(in: ledger) { return (ledger, false) }
      } catch {
        ledger.close()
        throw error
      }
      ledger.close()
      throw error
    }
  }

  private static func scheme(_ url: String) -> Substring { url.prefix { $0 != ":" } }
}

extension LedgerError {
  /// Why there is no home for a ledger in memory.
  static var memoryEnds: LedgerError {
    .invalid("A ledger in memory ends with the command; there is nothing to make a home for.")
  }
}
