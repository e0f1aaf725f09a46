import GemLedger
import GemLedgerAudit
import LedgerCharts

/// `verify`: proves the books, and fails with `books_wrong` after it printed the problems.
struct VerifyCommand {
  let invocation: Invocation

  func run() throws {
    let findings = try findings()
    try invocation.print(Self.json(findings), { Self.text(findings, style: $0) })
    let count = findings.problemCount
    guard count == 0 else {
      throw LedgerError(
        .booksWrong,
        "The books do not add up: \(count == 1 ? "1 problem" : "\(count) problems"). Restore a verified backup. "
          + "An export and an import into a new ledger also remove orphaned rows; the page "
          + "Verification explains each name.",
        details: [.integer("problems", Int64(count))])
    }
  }

  /// The findings of the verification, including the comparison with a seal.
  private struct Findings {
    let verification: Verification
    var seal = SealFindings()

    var problemCount: Int { verification.problemCount + seal.problems.count }
    var problems: [(equation: String, currency: CurrencyCode?, message: String)] {
      verification.problems.map { ($0.equation, $0.currency, $0.message) }
        + seal.problems.map { ("seal_holds", nil, $0) }
    }
  }

  private func findings() throws -> Findings {
    let comparison = try SealFindings.comparison(invocation)
    return try invocation.withLedger { (ledger) throws(LedgerError) in
      var findings = Findings(verification: try invocation.verify(ledger))
      if let comparison { findings.seal = try comparison(ledger) }
      return findings
    }
  }

  private static func json(_ findings: Findings) -> JSONValue {
    let verification = findings.verification
    let currencies = verification.currencies.map { books -> (String, JSONValue) in
      let json: JSONValue = [
        "kinds": .object(JSONObject(kinds(of: books).map { ($0.name, .integer($1)) })),
        "outstanding": .integer(books.outstanding), "held": .integer(books.held), "debt": .integer(books.debt),
      ]
      return (books.currency.description, json)
    }
    let problems = findings.problems.map { problem -> JSONValue in
      [
        "equation": .string(problem.equation), "currency": JSONValue(problem.currency?.description),
        "message": .string(problem.message),
      ]
    }
    return [
      "ok": .bool(findings.problemCount == 0), "as_of": .string(verification.asOf.description),
      "transactions": .integer(verification.transactions), "customers": .integer(verification.customers),
      "currencies": .object(JSONObject(currencies)), "problems": .array(problems),
      "problem_count": .integer(Int64(findings.problemCount)), "seal": findings.seal.json,
    ]
  }

  private static func kinds(of books: Verification.Books) -> [(EntryKind, Int64)] {
    books.kinds.sorted { $0.key.rawValue < $1.key.rawValue }.map { ($0.key, $0.value) }
  }
}

// MARK: For people

extension VerifyCommand {
  private static func text(_ findings: Findings, style: Style) -> String {
    let verification = findings.verification
    var text = ""
    for books in verification.currencies { text += table(books).text(style: style) + "\n" }
    let counts =
      "\(AmountText.counted(verification.transactions, "transaction")), "
      + "\(AmountText.counted(verification.customers, "customer")), as of \(verification.asOf)\n"
    guard findings.problemCount > 0 else {
      return text + findings.seal.text + style.green("The books add up") + ": " + counts
    }
    text += style.red("The books do not add up") + ": " + counts
    for problem in findings.problems { text += "  \(SafeText.escaped("\(problem.equation): \(problem.message)"))\n" }
    let unlisted = findings.problemCount - findings.problems.count
    return unlisted == 0 ? text : text + "  and \(AmountText.grouped(Int64(unlisted))) more\n"
  }

  /// The kinds of entries, and below the sum that they make.
  private static func table(_ books: Verification.Books) -> Table {
    var table = Table([.left(books.currency.description), .right("AMOUNT")])
    for (kind, amount) in kinds(of: books) { table.add([kind.name, AmountText.signed(amount)]) }
    table.add(["outstanding", AmountText.grouped(books.outstanding)])
    if books.held != 0 { table.add(["of it held", AmountText.grouped(books.held)]) }
    if books.debt != 0 { table.add(["debt", AmountText.grouped(books.debt)]) }
    return table
  }
}
