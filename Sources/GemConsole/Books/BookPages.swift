#if Server
internal import GemLedger
internal import GemLedgerArchive
internal import GemLedgerAudit
internal import GemLedgerSQLite
internal import GemServer
internal import SystemHTTP

#if Receipts
internal import GemLedgerSeal
#endif

/// The proof of the books, seals, and the export of the journal.
enum BookPages {
  static let routes: [ConsoleRoute] =
    [
      .get("books", .books) { (visit) throws(LedgerError) in .page(try ProofView(visit: visit).page) },
      .post("books/verify", .books) { (visit) throws(LedgerError) in
        try visit.project.verifying.start(by: visit.session.actor.text)
        return .seeOther(ConsolePath("books"))
      },
      ConsoleRoute("POST", "books/export", journalScopes, .blocking(export)),
      ConsoleRoute("POST", "books/backup", [.books], .suspending(backUp)),
    ] + seals

  /// The permissions to read records of the journal, which name customers and their purchases.
  private static let journalScopes: [Scope] = [.books, .customers, .purchases]

  static func mayReadJournal(_ session: ConsoleSession) -> Bool { journalScopes.allSatisfy(session.allows) }

  // MARK: Export

  /// Sends the whole journal; memory is bounded.
  ///
  /// It goes through a file, so that a slow browser does not keep the ledger's snapshot open.
  @Sendable private static func export(_ visit: Visit) throws(LedgerError) -> Reply {
    let stream = HTTPStream(isFile: true)
    try visit.services.longRead.start("An export") { [ledger = visit.ledger, log = visit.log] in
      send(to: stream, "export", log) { () throws(LedgerError) in
        let file = try TemporaryFile()
        try ledger.export { (bytes) throws(LedgerError) in try file.append(bytes) }
        return file
      }
    }
    visit.log.event(
      .info, "The journal was exported.",
      ["key": .string(visit.session.keyID), "project": .string(visit.project.id)])
    return .stream(name: "journal-\(day(visit)).jsonl", type: "application/jsonl", stream)
  }

  /// Sends a file that is complete.
  private static func send(
    to stream: HTTPStream, _ name: String, _ log: ServerLog, _ file: () throws(LedgerError) -> TemporaryFile
  ) {
    do throws(LedgerError) {
      var isTaken = true
      try file().forEachPiece { piece in
        isTaken = stream.write(piece)
        return isTaken
      }
      if isTaken { stream.end() }
    } catch {
      stream.fail()
      log.error(error, requestID: "console \(name)")
    }
  }

  // MARK: Backup

  /// Sends a copy of the ledger's file that was proved.
  @Sendable private static func backUp(_ visit: Visit) async throws(LedgerError) -> Reply {
    guard visit.session.mayDoAll else { throw .backupNeedsAll }
    guard let storage = visit.ledger.storage as? SQLiteStorage else {
      throw .invalid("Only a ledger in SQLite has a file to copy.")
    }
    let folder = try TemporaryFolder()
    try await visit.services.longRead.run("A backup") { [clock = visit.project.clock] () throws(LedgerError) in
      try storage.backUp(to: folder.file)
      let copy = try Ledger.openSQLite(at: folder.file, clock: clock)
      defer { copy.close() }
      guard try copy.verify().isOK else {
        throw LedgerError(
          .booksWrong, "The books do not add up, so there is no backup. Prove them to see the problems.")
      }
    }
    let stream = HTTPStream(isFile: true)
    OwnThread.run { [log = visit.log] in
      send(to: stream, "backup", log) { () throws(LedgerError) in try TemporaryFile(taking: folder.file) }
    }
    visit.log.event(
      .info, "The ledger was backed up.",
      ["key": .string(visit.session.keyID), "project": .string(visit.project.id)])
    return .stream(name: "ledger-\(day(visit)).sqlite", type: "application/vnd.sqlite3", stream)
  }

  private static func day(_ visit: Visit) -> String { String(visit.reader.now.description.prefix(10)) }

  // MARK: Seals

  #if Receipts
  private static let seals: [ConsoleRoute] = [
    ConsoleRoute("POST", "books/seal", [.books], .suspending(seal)),
    ConsoleRoute(
      "GET", "books/prove", journalScopes, .blocking { (visit) throws(LedgerError) in .page(proofForm(visit)) }),
    ConsoleRoute("POST", "books/prove", journalScopes, .suspending(prove)),
  ]

  /// Proves the books, and seals the journal.
  @Sendable private static func seal(_ visit: Visit) async throws(LedgerError) -> Reply {
    guard try await visit.project.verifying.run(by: visit.session.actor.text).isOK else {
      throw LedgerError(.booksWrong, "The books do not add up, and are not sealed.")
    }
    let ledger = visit.ledger
    let seal = try await visit.services.longRead.run("A seal") { () throws(LedgerError) in try ledger.seal() }
    return .file(name: "seal-\(day(visit)).txt", type: "text/plain; charset=utf-8", Array(seal.description.utf8))
  }

  @Sendable private static func prove(_ visit: Visit) async throws(LedgerError) -> Reply {
    do throws(LedgerError) {
      let lines = (visit.form["seal"] ?? "").split(separator: "\n", omittingEmptySubsequences: false)
      guard let seal = JournalSeal(lines.reversed().drop(while: \.isEmpty).reversed().joined(separator: "\n") + "\n")
      else { throw .invalid("This is no seal, or its lines were changed. Paste the whole file.") }
      let id = try visit.transactionID(visit.form["transaction"] ?? "")
      let ledger = visit.ledger
      let proof = try await visit.services.longRead.run("A proof") { () throws(LedgerError) in
        try ledger.prove(id, in: seal)
      }
      return .file(name: "proof-\(id).json", type: "application/json", Array((proof.text + "\n").utf8))
    } catch {
      return .page(proofForm(visit, error: error))
    }
  }

  private static func proofForm(_ visit: Visit, error: LedgerError? = nil) -> ConsolePage {
    let sent = visit.form.fields.isEmpty ? nil : visit.form
    let fields = [
      Field("transaction", "Transaction", hint: "The id of a transaction that was booked before the seal."),
      Field("seal", "Seal", .lines, hint: "All lines of the seal's file."),
    ]
    let form = visit.form(
      to: visit.path,
      fields.map { $0.html(sent) } + [.element(.button, [], ["Download the proof"]).with(.type, "submit")])
    return ConsolePage(
      "Prove a transaction",
      .p(
        "The proof shows that the journal had this transaction when it was sealed. It is checked without the ledger: "),
      .lines("gemctl seal check FILE --seal SEAL"), form.classed("action"), error: error)
  }
  #else
  private static let seals: [ConsoleRoute] = []
  #endif
}
#endif
