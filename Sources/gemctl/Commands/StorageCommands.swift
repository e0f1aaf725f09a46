import GemLedger
import GemLedgerArchive
import GemLedgerAudit
import LedgerCharts

#if PostgreSQL
import GemLedgerPostgres
#endif

/// `storage …`: work on a ledger as a whole.
struct StorageCommands {
  let invocation: Invocation

  // MARK: Copying

  func copy() throws {
    let from = try StorageChoice(invocation.parsed.positionals[0])
    let to = try StorageChoice(invocation.parsed.positionals[1])
    guard from != .memory, to != .memory else {
      throw LedgerError.invalid(
        "A ledger in memory ends with the command; FROM and TO are sqlite:PATH or postgres://…")
    }
    guard from != to else { throw LedgerError.invalid("FROM and TO are the same storage.") }
    let verification = try copy(from, to)
    try invocation.print(Self.json(verification)) { style in
      let count = AmountText.grouped(verification.transactions)
      let customers = AmountText.grouped(verification.customers)
      return "\(style.green("Copied")) \(count) transactions of \(customers) customers; "
        + "every row was compared, and the books of the copy add up.\n"
    }
  }

  private func copy(_ from: StorageChoice, _ to: StorageChoice) throws(LedgerError) -> Verification {
    let source = try from.openSource()
    defer { source.close() }
    var bar = StagedBar(invocation.terminal)
    defer { bar.finish() }
    let progress: LedgerCopy.Progress = { stage, done, total in bar.show(Self.label(stage), done, of: total) }
    return try LedgerCopy.run(from: source, progress) { (project, newest) throws(LedgerError) in
      try to.openCopy(of: project, source: newest)
    }
  }

  private static func label(_ stage: LedgerCopy.Stage) -> String {
    switch stage {
    case .copying: "Copying"
    case .comparing: "Comparing"
    case .verifying: "Verifying"
    }
  }

  private static func json(_ verification: Verification) -> JSONValue {
    [
      "ok": .bool(verification.isOK), "transactions": .integer(verification.transactions),
      "customers": .integer(verification.customers),
      "currencies": .object(verification.currencies) { books in
        (books.currency.description, ["outstanding": .integer(books.outstanding), "debt": .integer(books.debt)])
      },
    ]
  }

  // MARK: PostgreSQL

  func grant() throws {
    let role = invocation.parsed.positionals[0]
    try withDatabase { (url) throws(LedgerError) in
      #if PostgreSQL
      try SchemaRights(url: url).grant(to: role)
      #endif
    }
    try invocation.print(["role": .string(role), "ok": true]) { _ in
      "The role \(SafeText.escaped(role)) may run the ledger; it can only add to the journal.\n"
    }
  }

  func setLanes() throws {
    guard case .value(let count) = PlainNumber(invocation.parsed.positionals[0]), (1...64).contains(count) else {
      throw invocation.usageError("\"storage lanes\" takes a number from 1 to 64")
    }
    try withDatabase { (url) throws(LedgerError) in
      #if PostgreSQL
      try show(try LaneChange(url: url).setLanes(Int(count)))
      #endif
    }
  }

  func distribute() throws {
    let shards = try invocation.parsed.integer("--shards", in: 1...64).map(Int.init)
    try withDatabase { (url) throws(LedgerError) in
      #if PostgreSQL
      try show(try LaneChange(url: url).distribute(shards: shards))
      #endif
    }
  }

  #if PostgreSQL
  private func show(_ outcome: LaneChange.Outcome) throws(LedgerError) {
    let fields: JSONValue = [
      "lanes": .integer(Int64(outcome.lanes)), "changed": .bool(outcome.isChanged),
      "function_created": .bool(outcome.isFunctionNew),
      "function_problem": outcome.functionProblem.map(JSONValue.string) ?? .null,
      "nodes": outcome.nodes.map { .integer(Int64($0)) } ?? .null,
      "leftovers": .array(outcome.leftovers.map(JSONValue.string)),
    ]
    try invocation.print(fields) { _ in
      Self.change(outcome) + Self.reason(outcome) + Self.functionProblem(outcome) + Self.leftovers(outcome)
    }
  }

  private static func change(_ outcome: LaneChange.Outcome) -> String {
    let restart = "restart the services that have it open.\n"
    if outcome.isChanged { return "The ledger has \(outcome.lanes) lanes now; \(restart)" }
    guard outcome.isFunctionNew else { return "Nothing changes: the ledger has \(outcome.lanes) lanes already.\n" }
    return "The ledger has \(outcome.lanes) lanes already. The function that writes the rows of a group was created; "
      + restart
  }

  private static func reason(_ outcome: LaneChange.Outcome) -> String {
    guard let nodes = outcome.nodes else { return "" }
    return "The number results from \(nodes) \(nodes == 1 ? "node" : "nodes") with shards. More lanes leave each group "
      + "with fewer commands; to choose another number, use --shards.\n"
  }

  private static func functionProblem(_ outcome: LaneChange.Outcome) -> String {
    guard let problem = outcome.functionProblem else { return "" }
    return "The function that writes the rows of a group could not be created: \(SafeText.escaped(problem)). The "
      + "ledger works without it, with more statements for each group. To create it, repeat the command; it needs the "
      + "right to create functions in the schema.\n"
  }

  private static func leftovers(_ outcome: LaneChange.Outcome) -> String {
    guard !outcome.leftovers.isEmpty else { return "" }
    return "Old rows, which erase cannot remove, remain on the coordinator in: "
      + outcome.leftovers.joined(separator: ", ")
      + ".\nTo remove them, repeat the command as the owner of the tables.\n"
  }
  #endif

  /// Calls the body with the URL; a build without PostgreSQL refuses such URLs earlier.
  private func withDatabase(_ body: (String) throws(LedgerError) -> Void) throws(LedgerError) {
    guard case .postgres(let url) = try StorageChoice(invocation.settings.storage) else {
      throw .invalid("\"\(invocation.parsed.verb.name)\" is for a ledger in PostgreSQL: --storage postgres://…")
    }
    try body(url)
  }
}
