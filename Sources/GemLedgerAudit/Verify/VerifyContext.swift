internal import GemLedger
internal import Synchronization

/// The ledger under proof, and the findings of all checks.
final class VerifyContext {
  let snapshot: any StorageSnapshot
  let scan: any StorageScan
  let definitions: CurrencyDefinitions
  let asOf: Timestamp
  /// The row counts of the storage; nil if numbers have no gaps and so are the counts.
  let counts: JournalCounts?
  private(set) var findings: Findings
  /// The ledger of the snapshot; its storage may give other snapshots, with other catalogs.
  let ledger: Ledger
  let abandonment: Abandonment

  /// - Parameter abandonment: The signal that ends ``pages(after:_:)``.
  init(
    _ ledger: Ledger, snapshot: any StorageSnapshot, definitions: CurrencyDefinitions, asOf: Timestamp,
    abandonment: Abandonment = Abandonment()
  ) throws(LedgerError) {
    self.ledger = ledger
    self.abandonment = abandonment
    self.snapshot = snapshot
    self.definitions = definitions
    self.asOf = asOf
    counts = try snapshot.journalCounts()
    scan = try snapshot.scan()
    findings = Findings()
  }

  func report(_ equation: String, currency: Int64? = nil, _ message: String) {
    let code = currency.flatMap { definitions.currency(number: $0)?.code }
    findings.add(Verification.Problem(equation: equation, currency: code, message: message))
  }

  /// Reads a table of the scan from a row to its end, unless the checks are abandoned.
  func pages<Row: StoredRow>(
    after start: Row? = nil, _ body: ([Row]) throws(LedgerError) -> Void
  ) throws(LedgerError) {
    try scan.pages(after: start) { (page: [Row]) throws(LedgerError) in
      try abandonment.check()
      try body(page)
    }
  }

  /// Begins checks on another thread that need no result of others; nil if there is no second reader.
  func beginBeside(
    _ checks: @escaping @Sendable (VerifyContext) throws(LedgerError) -> Void
  ) -> ChecksBeside? {
    let (ledger, asOf, abandonment) = (ledger, asOf, Abandonment())
    let task = ledger.storage.readBeside(scan) { (snapshot) throws(LedgerError) -> ChecksBeside.Outcome in
      let context = try VerifyContext(
        ledger, snapshot: snapshot, definitions: try ledger.definitions(in: snapshot), asOf: asOf,
        abandonment: abandonment)
      do throws(LedgerError) { try checks(context) } catch { return (context.findings, error) }
      return (context.findings, nil)
    }
    return task.map { ChecksBeside(task: $0, abandonment: abandonment) }
  }

  /// Waits for the checks and adds their findings.
  ///
  /// - Throws: The error that ended the checks.
  func finish(_ checks: ChecksBeside) throws(LedgerError) {
    let (findings, error) = try checks.task.wait()
    self.findings.add(findings)
    if let error { throw error }
  }

  /// Returns the readable name of an account for a message.
  func name(of account: AccountNumber) -> String {
    let currency = definitions.currency(number: account.currency)?.code.description ?? "currency \(account.currency)"
    return "customer number \(account.customer)'s \(currency)"
  }
}

/// The problems found by the checks, in order.
struct Findings: Sendable {
  /// The first problems, at most ``Verification/problemCountMax``.
  private(set) var problems: [Verification.Problem] = []
  private(set) var count = 0

  mutating func add(_ problem: Verification.Problem) {
    count += 1
    guard problems.count < Verification.problemCountMax else { return }
    problems.append(problem)
  }

  mutating func add(_ other: Self) {
    count += other.count
    problems += other.problems.prefix(Verification.problemCountMax - problems.count)
  }
}

/// Checks that run on another thread.
struct ChecksBeside {
  /// The findings, and the error that ended the checks.
  fileprivate typealias Outcome = (findings: Findings, error: LedgerError?)

  fileprivate let task: BackgroundTask<Outcome>
  fileprivate let abandonment: Abandonment

  /// Ends the checks soon, and waits for their end.
  func abandon() {
    abandonment.isUp.store(true, ordering: .relaxed)
    _ = try? task.wait()
  }
}

/// The signal that nobody waits for the result of checks.
final class Abandonment: Sendable {
  fileprivate let isUp = Atomic(false)

  /// - Throws: An error that ends the checks.
  func check() throws(LedgerError) {
    if isUp.load(ordering: .relaxed) { throw .defect("The checks were abandoned") }
  }
}
