import GemLedger
import GemLedgerAudit

/// `verify`: proves the books, and fails with `books_wrong` after it printed the problems.
struct VerifyCommand {
  let invocation: Invocation

  func run() throws {
    let verification = try verify()
    try invocation.print(Self.json(verification), { Self.text(verification, style: $0) })
    guard verification.isOK else {
      let count = verification.problemCount
      throw LedgerError(
        .booksWrong, "The books do not add up: \(count == 1 ? "1 problem" : "\(count) problems").",
        details: [.integer("problems", Int64(count))])
    }
  }

  /// `seal`: the same proof, and then the seal alone.
  func seal() throws {
    let verification = try verify()
    guard verification.isOK else {
      throw LedgerError(
        .booksWrong, "The books do not add up, and are not sealed: run gemctl verify.",
        details: [.integer("problems", Int64(verification.problemCount))])
    }
    let json: JSONValue = [
      "seal": .string(verification.seal.description), "transactions": .integer(verification.transactions),
      "as_of": .string(verification.asOf.description),
    ]
    try invocation.print(json, { _ in "\(verification.seal)\n" })
  }

  private func verify() throws -> Verification {
    let seal = try sealToCheck()
    var bar: ProgressBar?
    defer { bar?.finish() }
    return try invocation.withLedger { (ledger) throws(LedgerError) in
      try ledger.verify(against: seal) { done, total in
        var shown = bar ?? ProgressBar("Verifying", total: Int(clamping: total), terminal: invocation.terminal)
        shown.advance(to: Int(clamping: done))
        bar = shown
      }
    }
  }

  /// The seal of the file that `--seal` names: its text alone, or the line of JSON that `seal --json` prints.
  private func sealToCheck() throws -> JournalSeal? {
    guard let path = invocation.parsed.value("--seal") else { return nil }
    let text = String(decoding: try FileAccess.read(path, atMost: Self.sealByteCountMax), as: UTF8.self)
    let word = text.split(whereSeparator: { $0.isWhitespace || $0 == "\"" || $0 == "," }).first {
      $0.hasPrefix(JournalSeal.prefix)
    }
    guard let seal = word.flatMap({ JournalSeal(String($0)) }) else {
      throw LedgerError(
        .invalidRequest, "\(path) holds no seal. Write one with: gemctl seal > \(path)",
        details: [.text("file", path)])
    }
    return seal
  }

  private static let sealByteCountMax = 65_536

  private static func json(_ verification: Verification) -> JSONValue {
    [
      "ok": .bool(verification.isOK), "as_of": .string(verification.asOf.description),
      "transactions": .integer(verification.transactions), "customers": .integer(verification.customers),
      "currencies": .object(JSONObject(verification.currencies.map { ($0.currency.description, json($0)) })),
      "problems": .array(verification.problems.map(json)),
      "problem_count": .integer(Int64(verification.problemCount)),
      "seal": .string(verification.seal.description),
    ]
  }

  private static func json(_ books: Verification.Books) -> JSONValue {
    [
      "kinds": .object(JSONObject(kinds(of: books).map { ($0.name, .integer($1)) })),
      "outstanding": .integer(books.outstanding), "held": .integer(books.held), "debt": .integer(books.debt),
    ]
  }

  private static func json(_ problem: Verification.Problem) -> JSONValue {
    [
      "equation": .string(problem.equation), "currency": JSONValue(problem.currency?.description),
      "message": .string(problem.message),
    ]
  }

  private static func kinds(of books: Verification.Books) -> [(EntryKind, Int64)] {
    books.kinds.sorted { $0.key.rawValue < $1.key.rawValue }.map { ($0.key, $0.value) }
  }
}

// MARK: For people

extension VerifyCommand {
  private static func text(_ verification: Verification, style: Style) -> String {
    var text = ""
    for books in verification.currencies { text += table(books).text(style: style) + "\n" }
    let transactions = counted(verification.transactions, "transaction")
    let customers = counted(verification.customers, "customer")
    guard !verification.isOK else {
      text += "Seal: \(verification.seal)\n"
      return text + style.green("The books add up") + ": \(transactions), \(customers), as of \(verification.asOf)\n"
    }
    text += style.red("The books do not add up") + ": \(transactions), \(customers), as of \(verification.asOf)\n"
    for problem in verification.problems { text += "  \(SafeText.escaped(problem.description))\n" }
    let unlisted = verification.problemCount - verification.problems.count
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

  private static func counted(_ count: Int64, _ noun: String) -> String {
    "\(AmountText.grouped(count)) \(noun)\(count == 1 ? "" : "s")"
  }
}
