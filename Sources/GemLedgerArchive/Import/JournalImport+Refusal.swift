internal import GemLedger
internal import GemLedgerAudit

// Refusals of an intact export that is not a valid ledger, with the line at fault.

extension JournalImport {
  /// The maximum number of lines of an increment that is validated before writing: the lines are kept in memory.
  static let validatedLineCountMax: Int64 = 1 << 18

  /// Validates an increment by a replay without writing, so that a refused increment leaves the ledger unchanged.
  ///
  /// A whole export needs no dry run: a failed import leaves no ledger and is removed.
  func validate(_ found: ImportCheck.Findings, into target: any LedgerStorage) throws(LedgerError) {
    guard found.after != nil, found.end.lines <= Self.validatedLineCountMax else { return }
    try target.read { (snapshot) throws(LedgerError) in
      var pages = try ImportPages(text, pageSize: Int(found.end.lines), context: found.context)
      let replay = try JournalReplay(
        snapshot, isKeyed: target.traits.isKeyedByCustomer, isDense: found.header.isDense, isIncrement: true)
      replay.unnamed = Set(try found.erasures.rows(in: snapshot).erasures.flatMap(\.numbers))
      guard let page = try pages.next() else { return }
      try Self.fill(replay, with: page, snapshot)
    }
  }

  /// Returns the cause of a page's refused commit as a problem of its line.
  ///
  /// It commits the page again line by line; a failed import leaves no ledger in any case.
  func refusal(
    _ error: LedgerError, of page: ImportPage, _ found: ImportCheck.Findings, _ target: any LedgerStorage
  ) throws(LedgerError) -> LedgerError {
    guard error.isOfContradictingRows else { return error }
    let replay = try target.read { (snapshot) throws(LedgerError) in
      try JournalReplay(
        snapshot, isKeyed: target.traits.isKeyedByCustomer, isDense: found.header.isDense,
        isIncrement: found.header.after != nil)
    }
    for (index, record) in page.records.enumerated() {
      let single = ImportPage(firstLine: page.firstLine + Int64(index), records: [record])
      do throws(LedgerError) {
        try target.read { (snapshot) throws(LedgerError) in try Self.fill(replay, with: single, snapshot) }
        try Self.commit(replay, target)
      } catch {
        guard error.isOfContradictingRows else { return error }
        return Self.unfit(LineFault("It contradicts an earlier line: \(error.storageText)"), line: single.firstLine)
      }
    }
    return Self.unfit(LineFault("It contradicts a later line: \(error.storageText)"), line: page.firstLine)
  }

  /// Returns the error for a complete export with wrong books.
  static func refusal(_ verification: Verification) -> LedgerError {
    let problems = verification.problems.map(\.description)
    return LedgerError(
      .invalidImport,
      "The exported books are wrong. First problem: \(problems.first ?? "none"). The written part cannot be opened as "
        + "a ledger.",
      details: [.integer("problem_count", Int64(verification.problemCount))]
        + problems.enumerated().map { .text("problems[\($0)]", $1) })
  }

  static func unfit(_ fault: LineFault, line: Int64) -> LedgerError {
    let problem = ImportProblem(line: line, message: fault.message)
    return LedgerError(
      .invalidImport, "The export contradicts itself. \(problem)",
      details: [.integer("problem_count", 1), .text("problems[0]", problem.description)])
  }
}

extension LedgerError {
  /// Whether a storage refused contradictory rows, as opposed to a damaged file.
  fileprivate var isOfContradictingRows: Bool {
    let code = details.lazy.compactMap { detail -> Int64? in
      guard detail.name == "sqlite_code", case .integer(let code) = detail.value else { return nil }
      return code & 0xFF
    }.first
    if let code { return code == Self.constraintOfSQLite }
    return details.contains { detail in
      guard detail.name == "sqlstate", case .text(let state) = detail.value else { return false }
      return state.hasPrefix("23")
    }
  }

  private static let constraintOfSQLite: Int64 = 19

  /// The storage's message.
  fileprivate var storageText: String {
    for detail in details where detail.name == "sqlite" || detail.name == "postgres" {
      if case .text(let text) = detail.value { return text }
    }
    return message
  }
}
