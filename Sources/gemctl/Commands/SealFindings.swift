import GemLedger

#if Receipts
import GemLedgerSeal
#endif

/// The result of a comparison of the journal with a seal; empty without a seal.
struct SealFindings {
  var problems: [String] = []
  /// The sealed journal's digest.
  var digest: String?
  /// The number of customers with unproven ids, notes and keys; nil if no customer's are proven.
  var erasedCustomerCount: Int? = 0
  /// Whether the sealed statements of stores were looked for, if there were any.
  var comparesStatements = true

  var json: JSONValue {
    guard let digest else { return .null }
    return [
      "digest": .string(digest), "holds": .bool(problems.isEmpty),
      "erased_customers": JSONValue(erasedCustomerCount.map(Int64.init)),
      "compares_statements": .bool(comparesStatements),
    ]
  }

  /// One line of text, and another line if an erasure reduced the proof.
  var text: String {
    guard let digest, problems.isEmpty else { return "" }
    let unproven =
      switch erasedCustomerCount {
      case 0?: ""
      case 1?: "Ids, notes and keys of 1 customer are not proven: the customer was erased since.\n"
      case let count?: "Ids, notes and keys of \(count) customers are not proven: they were erased since.\n"
      case nil: "Ids, notes and keys are not proven: customers were erased since, and no --customers FILE was given.\n"
      }
    let statements =
      comparesStatements ? "" : "Statements of stores are not compared: no --statements FILE was given.\n"
    return "The seal holds: the journal begins with the records under \(digest)\n" + unproven + statements
  }
}

extension SealFindings {
  #if Receipts
  /// Returns the comparison for `--seal`; nil without it.
  ///
  /// The files are read now, so that a wrong file name fails before the long verification.
  static func comparison(_ invocation: Invocation) throws -> ((Ledger) throws(LedgerError) -> SealFindings)? {
    guard invocation.parsed.has("--seal") else {
      guard !invocation.parsed.has("--customers"), !invocation.parsed.has("--statements") else {
        throw LedgerError.invalid("Digests of customers and statements belong to a seal: name it with --seal FILE.")
      }
      return nil
    }
    let commands = SealCommands(invocation: invocation)
    let seal = try commands.sealOfFile()
    let (customers, statements) = (try commands.customerDigests(of: seal), try commands.statementDigests())
    return { (ledger) throws(LedgerError) in
      try invocation.withProgress("Checking the seal") { (report) throws(LedgerError) in
        do throws(LedgerError) {
          let check = try ledger.check(seal, customers: customers, statements: statements, progress: report)
          return SealFindings(
            problems: check.problems, digest: seal.digest, erasedCustomerCount: check.erasedCustomerCount,
            comparesStatements: check.comparesStatements)
        } catch  where error.code == .booksWrong || error.code == .storageDamaged {
          return SealFindings(problems: [error.message], digest: seal.digest)
        }
      }
    }
  }
  #else
  static func comparison(_ invocation: Invocation) throws -> ((Ledger) throws(LedgerError) -> SealFindings)? {
    if invocation.parsed.has("--seal") { throw LedgerError.builtWithoutCrypto }
    return nil
  }
  #endif
}
