#if Server
internal import GemLedger
internal import GemLedgerSQLite
internal import GemServer
internal import LedgerCharts

/// The newest proof of the books, and what else can be done with the whole journal.
struct ProofView {
  let visit: Visit

  private var reader: Reader { visit.reader }

  var page: ConsolePage {
    get throws(LedgerError) {
      let runs = visit.project.verifying
      let isBusy = runs.isBusy
      let parts = [isBusy ? progress(runs.running) : start, try runs.newest().map(result) ?? Self.none]
      let live = HTML.element(.div, [], parts).with(.id, "live")
      return ConsolePage("Books", isBusy ? live.with(.dataLive, "2") : live, seal, export, backup)
    }
  }

  private static let none = HTML.p("The books were not proved on this ledger yet.").classed("empty")

  private func button(_ text: String, _ part: String) -> HTML {
    visit.form(to: ConsolePath("books", part), [.element(.button, [], [.text(text)]).with(.type, "submit")])
  }

  // MARK: The proof

  private var start: HTML {
    .div(
      .p("A proof rebuilds all balances from the journal and compares them. It only reads; bookings continue."),
      button("Prove the books now", "verify"))
  }

  private func progress(_ running: VerifyRuns.Running?) -> HTML {
    guard let running, running.total > 0 else { return .message("note", .p("A proof is beginning.")) }
    let share = min(100, Int128(running.done) * 100 / Int128(running.total))
    return .message(
      "note",
      .p(
        .text("A proof is running: \(share) % of "), reader.amount(running.total), " rows are read. It was started ",
        .text(reader.age(since: running.startedAt)), " ago by ", .foreign(running.actor), "."))
  }

  private func result(_ run: VerifyRun) -> HTML {
    let found = run.verification
    let state =
      run.failure.map { HTML.group([.badge("could not be read", "bad"), " ", .foreign($0, limit: 1000)]) }
      ?? (run.isOK ? .badge("the books add up", "good") : .badge("the books do not add up", "bad"))
    return .section(
      "The newest proof",
      .facts([
        ("Result", state), ("Age", .text(reader.age(since: run.endedAt))), ("Ended", reader.time(run.endedAt)),
        ("Duration", .text(AmountText.counted(run.endedAt.milliseconds(since: run.startedAt) / 1000, "second"))),
        ("Started by", .foreign(run.actor)), ("Transactions", found["transactions"]?.integer.map(reader.amount)),
        ("Customers", found["customers"]?.integer.map { .link(reader.amount($0), to: ConsolePath("customers")) }),
        ("Problems", found["problem_count"]?.integer.map(reader.amount)),
      ]), problems(found), currencies(found))
  }

  private func problems(_ found: JSONValue) -> HTML {
    let rows = (found["problems"]?.array ?? []).map { problem -> [HTML] in
      [
        .text(problem["equation"]?.text ?? ""), .text(problem["currency"]?.text ?? "–"),
        .foreign(problem["message"]?.text ?? "", limit: 1000),
      ]
    }
    return rows.isEmpty ? .none : DataTable("Problems", ["Promise", "Currency", "What was found"], rows).html(none: "")
  }

  private func currencies(_ found: JSONValue) -> HTML {
    let rows = (found["currencies"]?.object?.members ?? []).map { name, books -> [HTML] in
      let kinds = (books["kinds"]?.object?.members ?? []).map { kind, amount in
        HTML.group([.text("\(kind) "), reader.change(amount.integer ?? 0)])
      }
      return [
        .text(name), .list(kinds), reader.amount(books["outstanding"]?.integer ?? 0),
        reader.amount(books["held"]?.integer ?? 0), reader.amount(books["debt"]?.integer ?? 0),
      ]
    }
    return rows.isEmpty
      ? .none
      : DataTable("Sums by currency", ["Currency", "Entries", "#Outstanding", "#Of it held", "#Debt"], rows)
        .html(none: "")
  }

  // MARK: The whole journal

  private var seal: HTML {
    #if Receipts
    .section(
      "Seal",
      .p(
        "A seal is a digest of the whole journal up to now. Stored elsewhere, it later shows whether a record was ",
        "changed. It is made after a proof of the books, so the download begins after two reads of the journal."),
      button("Seal the journal", "seal"),
      BookPages.mayReadJournal(visit.session)
        ? .p(.link("Prove a transaction with a seal", to: ConsolePath("books", "prove"))) : .none,
      .p(
        "A seal with the digests of customers, which proves names after an erasure, and its comparison are commands:"),
      .lines("gemctl seal --customers FILE\ngemctl verify --seal SEAL --customers FILE"))
    #else
    .section("Seal", .p("This server was built without the trait Receipts, which seals need."))
    #endif
  }

  private var export: HTML {
    guard BookPages.mayReadJournal(visit.session) else {
      return .section(
        "Export",
        .p("An export needs the scopes ", .code("\(Scope.customers)"), " and ", .code("\(Scope.purchases)"), "."))
    }
    return .section(
      "Export", .p("The whole journal as lines of JSON. Imported into an empty storage it gives an equal ledger."),
      button("Download the journal", "export"))
  }

  private var backup: HTML {
    guard visit.ledger.storage is SQLiteStorage else {
      return .section("Backup", .p("A ledger on PostgreSQL is backed up by PostgreSQL's own tools."))
    }
    return .section(
      "Backup",
      .p(
        "A copy of the ledger's file as it is at one instant, for ", .code("gemctl restore FILE"),
        ". The books of the copy are proved first, so the download begins later."),
      visit.session.mayDoAll
        ? button("Download a backup", "backup") : .p(.text(LedgerError.backupNeedsAll.message)))
  }
}

extension LedgerError {
  static let backupNeedsAll = LedgerError(
    .forbidden, "A backup holds everything, so it needs a key without a restriction to scopes.")
}
#endif
