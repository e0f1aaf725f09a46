internal import GemLedger

/// The ledger under proof, and the findings of all checks.
final class VerifyContext {
  let snapshot: any StorageSnapshot
  let scan: any StorageScan
  let definitions: CurrencyDefinitions
  let asOf: Timestamp
  /// The row counts of the storage; nil if numbers have no gaps and so are the counts.
  let counts: JournalCounts?
  private(set) var findings: Findings

  init(snapshot: any StorageSnapshot, definitions: CurrencyDefinitions, asOf: Timestamp) throws(LedgerError) {
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

  /// Returns the readable name of an account for a message.
  func name(of account: AccountNumber) -> String {
    let currency = definitions.currency(number: account.currency)?.code.description ?? "currency \(account.currency)"
    return "customer number \(account.customer)'s \(currency)"
  }
}

/// The problems found by the checks, in order.
struct Findings {
  /// The first problems, at most ``Verification/problemCountMax``.
  private(set) var problems: [Verification.Problem] = []
  private(set) var count = 0

  mutating func add(_ problem: Verification.Problem) {
    count += 1
    guard problems.count < Verification.problemCountMax else { return }
    problems.append(problem)
  }
}
