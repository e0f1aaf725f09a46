import GemLedger
import GemLedgerAudit
import GemLedgerSQLite
import LedgerCharts

/// `backup` and `restore`: a ledger's file as it was at one instant.
struct BackupCommands {
  let invocation: Invocation

  /// The path of the ledger's file.
  private func ledgerPath() throws(LedgerError) -> String {
    switch try StorageChoice(invocation.settings.storage) {
    case .home: return invocation.home.ledgerPath
    case .file(let path): return path
    case .memory: throw .invalid("A ledger in memory ends with the command; there is nothing to copy.")
    case .postgres:
      throw .invalid(
        "A ledger on PostgreSQL is backed up and restored by PostgreSQL's tools (pg_dump, or a base backup with "
          + "its log); \"gemctl storage copy\" also copies it into a file.")
    }
  }

  // MARK: Backing up

  func backUp() throws {
    let path = invocation.parsed.positionals[0]
    try FileAccess.checkIsNew(path)
    let verification = try FileAccess.complete(path) { (part) throws(LedgerError) in
      _ = try FileAccess.create(part)
      try copy(to: part)
      return try prove(part)
    }
    try invocation.print(Self.json(verification, path)) { style in
      "\(style.green("Backed up")) \(Self.counts(verification)) to \(SafeText.escaped(path)); its books add up.\n"
    }
  }

  private func copy(to part: String) throws(LedgerError) {
    // The home may be unfinished.
    if try StorageChoice(invocation.settings.storage) == .home, invocation.home.isUnfinished {
      throw invocation.home.missing
    }
    let ledger = try SQLiteStorage(path: try ledgerPath())
    defer { ledger.close() }
    try invocation.withProgress("Copying") { (report) throws(LedgerError) in
      try ledger.backUp(to: part, progress: report)
    }
  }

  private func prove(_ path: String) throws(LedgerError) -> Verification {
    let ledger = try Ledger.openSQLite(at: path, clock: invocation.clock)
    defer { ledger.close() }
    let verification = try invocation.verify(ledger)
    guard verification.isOK else {
      throw LedgerError(
        .booksWrong,
        "The books do not add up, so this is no valid backup; \"gemctl verify\" lists the problems. First problem: "
          + "\(verification.problems.first.map(\.description) ?? "none")",
        details: [.text("file", path), .integer("problems", Int64(verification.problemCount))])
    }
    return verification
  }

  // MARK: Restoring

  func restore() throws {
    if invocation.parsed.isDryRun {
      throw invocation.usageError("--dry-run belongs to \"restore\" without FILE")
    }
    let backup = invocation.parsed.positionals[0]
    let path = try ledgerPath()
    guard !FileAccess.isSame(backup, path) else {
      throw LedgerError.invalid("\(backup.quotedForPeople) is the ledger itself; name a backup of it.")
    }
    let verification = try prove(backup)
    let aside = try FileAccess.complete(path) { (part) throws(LedgerError) -> String? in
      let storage = try SQLiteStorage(path: backup)
      defer { storage.close() }
      try checkPlace(path, for: try storage.state())
      _ = try FileAccess.create(part)
      try invocation.withProgress("Copying") { (report) throws(LedgerError) in
        try storage.backUp(to: part, progress: report)
      }
      try FileAccess.synchronize(part)
      return try setAside(path)
    }
    try invocation.print(Self.json(verification, path, aside: aside)) { style in
      let kept = aside.map { "The previous ledger is kept as \(SafeText.escaped($0)).\n" } ?? ""
      return "\(style.green("Restored")) \(Self.counts(verification)); its books add up.\n\(kept)"
    }
  }

  /// Fails if the ledger at the path belongs to another project, is in use, or has bookings that the backup lacks.
  private func checkPlace(_ path: String, for backup: SQLiteLedgerState) throws(LedgerError) {
    guard let present = try state(at: path), present.transactions > 0 else { return }
    guard present.salt == backup.salt else {
      throw LedgerError(
        .alreadyExists,
        "\(path.quotedForPeople) is the ledger of another project. Nothing was changed; name another ledger with "
          + "--home or --storage.", details: [.text("file", path)])
    }
    // The last process to close a ledger removes its log.
    guard !FileAccess.exists("\(path)-wal") else {
      throw LedgerError(
        .storageUnavailable,
        "Another process has \(path.quotedForPeople) open. Nothing was changed; stop it, and restore again.",
        details: [.text("file", path)])
    }
    guard present.transactions <= backup.transactions || invocation.parsed.has("--discard-newer") else {
      let count = AmountText.counted(present.transactions - backup.transactions, "transaction")
      throw LedgerError(
        .conditionFailed,
        "\(path.quotedForPeople) has \(count) more than the backup, the newest of \(present.newest); the "
          + "backup ends at \(backup.newest). Nothing was changed. --discard-newer discards them.",
        details: [.text("file", path), .integer("transactions", present.transactions - backup.transactions)])
    }
  }

  /// Returns the state of the ledger at the path; nil if there is none or it cannot be read.
  private func state(at path: String) throws(LedgerError) -> SQLiteLedgerState? {
    guard FileAccess.exists(path) else { return nil }
    do throws(LedgerError) {
      let storage = try SQLiteStorage(path: path)
      defer { storage.close() }
      return try storage.state()
    } catch {
      // A damaged ledger may be replaced.
      guard error.code == .storageDamaged || error.code == .inputOutput else { throw error }
      return nil
    }
  }

  /// Renames the ledger's files.
  ///
  /// The file is renamed before its log: without the log it would be an earlier state. Without the file there is no
  /// ledger until the restore is repeated.
  private func setAside(_ path: String) throws(LedgerError) -> String? {
    // After an interrupted restore the log may exist without the file.
    let present = Home.files(ofLedger: path).filter(FileAccess.exists)
    guard !present.isEmpty else { return nil }
    let stamp = invocation.clock.now().description.filter { $0.isASCII && ($0.isNumber || $0 == "T" || $0 == "Z") }
    let aside = "\(path).replaced-\(stamp)"
    try FileAccess.checkIsNew(aside)
    for (file, name) in zip(Home.files(ofLedger: path), Home.files(ofLedger: aside)) where present.contains(file) {
      try FileAccess.move(file, to: name)
    }
    return aside
  }

  // MARK: Answers

  private static func counts(_ verification: Verification) -> String {
    AmountText.counted(verification.transactions, "transaction") + " of "
      + AmountText.counted(verification.customers, "customer")
  }

  private static func json(_ verification: Verification, _ path: String, aside: String? = nil) -> JSONValue {
    [
      "file": .string(path), "ok": .bool(verification.isOK), "transactions": .integer(verification.transactions),
      "customers": .integer(verification.customers), "replaced": JSONValue(aside),
    ]
  }
}
