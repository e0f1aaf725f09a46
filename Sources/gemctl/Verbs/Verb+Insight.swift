extension Verb {
  /// Verbs for reports, verification, export and import.
  static let insight =
    [customers, items, itemsTop, explain, statement, spends, consumed, withdrawable, unspent, flows, cohorts] + [
      feed, verify, seal, sealProve, sealCheck, export, importing, demo,
    ]

  private static let customers = Verb(
    name: "customers", group: .insight, summary: "List the customers with their balances",
    options: [.limit, .after, .csv],
    examples: ["gemctl customers --limit 1000 --json", "gemctl customers --csv > customers.csv"]
  ) { try CustomersCommand(invocation: $0).run() }

  private static let feed = Verb(
    name: "feed", group: .insight, summary: "List the transactions of all customers, oldest first",
    options: [
      .limit, .after,
      Option("--follow", help: "Wait for further transactions until an interrupt or the --limit"),
    ],
    examples: ["gemctl feed --after VHYxAgAAAQ --limit 1000 --json", "gemctl feed --follow --json"],
    discussion: """
      Keep the printed cursor: --after with it lists every later transaction exactly once. With --follow and --json \
      each line is one event; the last line of each batch has the cursor as "next". Refunds, merges and expiries are \
      events too.
      """
  ) { try FeedCommand(invocation: $0).run() }

  private static let verify = Verb(
    name: "verify", group: .insight, summary: "Verify that the books add up",
    options: [.seal, .customerDigests, .statementDigests],
    examples: ["gemctl verify", "gemctl verify --json", "gemctl verify --seal books.seal"],
    discussion: """
      It replays the journal and compares balances, lots, totals and the digest of every transaction. Exits with 6 on \
      any difference. With a seal it also proves that no sealed record was changed, removed or inserted. Records \
      erased since then are omitted and reported.
      """
  ) { try VerifyCommand(invocation: $0).run() }

  private static let seal = Verb(
    name: "seal", group: .insight, summary: "Verify the books and print a digest of the journal",
    options: [
      Option(
        "--customers", "FILE", kind: .file,
        help: "Write the digests of customers' ids, notes and keys to this new file"),
      Option("--statements", "FILE", kind: .file, help: "Write the digests of the stores' statements to this new file"),
    ],
    examples: ["gemctl seal > books.seal", "gemctl seal --customers customers.seal > books.seal"],
    discussion: """
      A seal has six or seven lines; the last is the SHA-256 of the others and of all transactions. Keep it out of \
      reach of the storage's writers, and check it with "gemctl verify --seal FILE". Later bookings, erasures and \
      copies do not invalidate it. If the books do not add up, no seal is printed and the exit status is 6.

      The file of --customers proves ids, notes and keys of the other customers after an erasure. The file of \
      --statements proves that no statement of a store is missing.
      """
  ) { try SealCommands(invocation: $0).seal() }

  private static let sealProve = Verb(
    name: "seal prove", group: .insight, summary: "Print a proof that a transaction is in a sealed journal",
    arguments: [Argument("TRANSACTION", help: "Transaction id")], options: [.seal, .customerDigests],
    examples: ["gemctl seal prove 01a206c2-530f-7000-8000-0000003fa4d3 --seal books.seal"],
    discussion: """
      The proof is JSON: the records of the transaction and the hashes from them up to the seal of --seal. It reveals \
      no other transaction. "gemctl seal check" checks it. After an erasure the proof names the customer only with \
      --customers.
      """
  ) { try SealCommands(invocation: $0).prove() }

  private static let sealCheck = Verb(
    name: "seal check", group: .insight, summary: "Check the proof of a transaction, without the ledger",
    arguments: [Argument("FILE", kind: .file, help: "Proof; \"-\" for standard input")],
    options: [.seal, Option("--digest", "SHA256", help: "Trusted digest of the journal")],
    examples: ["gemctl seal check proof.json --seal books.seal", "gemctl seal check - --digest SHA256"],
    discussion: """
      Needs no home and no storage. Exits with 6 if the proof is wrong or belongs to another journal than --seal or \
      --digest.
      """
  ) { try SealCommands(invocation: $0).check() }

  private static let export = Verb(
    name: "export", group: .insight, summary: "Export the journal as JSON lines",
    options: [
      Option("--after", "CURSOR", help: "Continue the export that ended with this cursor"),
      Option("--output", "FILE", kind: .file, help: "New file (default: standard output)"),
    ],
    examples: ["gemctl export --output journal.jsonl", "gemctl export --after CURSOR > since.jsonl"],
    discussion: """
      The export has all data: history with transaction ids, keys, purchases, refunds, orders and the catalog. Its \
      last line has a cursor for the next export. "gemctl import" makes an equal ledger from an export and its \
      continuations, in order.
      """
  ) { try ExportCommand(invocation: $0).run() }

  private static let importing = Verb(
    name: "import", group: .insight, summary: "Import an export of a ledger, or balances",
    arguments: [Argument("FILE", kind: .file, help: "File to import; \"-\" for standard input")],
    options: [
      Option(
        "--format", "FORMAT", kind: .oneOf(["journal", "csv", "revenuecat", "nakama"]),
        help: "Format: journal, csv, revenuecat or nakama (default: journal)"),
      Option(
        "--source", "SOURCE", kind: .oneOf(["bonus", "earned", "promotional", "admin"]),
        help: "Source of balances without one: bonus, earned, promotional or admin (default: admin)"),
      Option("--map", "NAME=CODE", isRepeatable: true, help: "Currency code for a name in a Nakama wallet"),
      Option("--dry-run", help: "Check the file and show the bookings without booking them"),
    ],
    examples: [
      "gemctl --storage sqlite:new.sqlite import journal.jsonl", "gemctl import balances.csv --format csv --dry-run",
    ],
    discussion: """
      An export becomes a new ledger; an export with --after continues an imported ledger. Every line is checked \
      before the first write, and the books are verified at the end. Until then the ledger cannot be opened. After an \
      interruption, run the same command again.

      csv: opening balances with the header customer_id,currency,amount[,source,expires_at]
      revenuecat: balances of virtual currencies
      nakama: rows of the wallet ledger, booked oldest first

      A second import of such a file changes nothing; a changed line is a problem. All problems are listed with their \
      lines, and nothing is booked.
      """
  ) { try ImportCommand(invocation: $0).run() }

  private static let demo = Verb(
    name: "demo", group: .insight, summary: "Run a demo of buying and spending",
    arguments: [Argument("NAME", arity: .optional, help: "Name of the demo: gems or economy (default: gems)")],
    examples: ["gemctl demo", "gemctl demo economy"],
    discussion: "It prints each command line and uses a temporary home, which is removed afterwards."
  ) { try DemoCommand(invocation: $0).run() }
}

extension Option {
  fileprivate static let seal = Option(
    "--seal", "FILE", kind: .file, help: "Seal of the journal, from \"gemctl seal\"")
  fileprivate static let customerDigests = Option(
    "--customers", "FILE", kind: .file,
    help: "Customer digests of the seal, for proofs after an erasure")
  fileprivate static let statementDigests = Option(
    "--statements", "FILE", kind: .file,
    help: "Statement digests of the seal, to prove that no statement is missing")
}
