extension Verb {
  /// Verbs that explain and prove the books.
  static let insight =
    [customers, items, explain, statement, spends, consumed, withdrawable, unspent, flows, feed] + [
      verify, seal, sealProve, sealCheck, export, importing, demo,
    ]

  private static let customers = Verb(
    name: "customers", group: .insight, summary: "List the customers with their balances",
    options: [.limit, .after, .csv],
    examples: ["gemctl customers", "gemctl customers --limit 1000 --json", "gemctl customers --csv > customers.csv"]
  ) { try CustomersCommand(invocation: $0).run() }

  private static let feed = Verb(
    name: "feed", group: .insight, summary: "List the transactions of all customers, oldest first",
    options: [
      .limit, .after,
      Option(name: "--follow", help: "Wait for more and print it as it comes, until interrupted or --limit is reached"),
    ],
    examples: [
      "gemctl feed --limit 1000 --json", "gemctl feed --after VHYxAgAAAQ", "gemctl feed --follow --json",
    ],
    discussion: """
      Keep the cursor that is printed: reading on behind it gives every later transaction once, also one that others \
      overtook while it was being booked. With --follow and --json each line is one event, and the last line of those \
      that came together has the cursor as "next". Balances that change by refunds, merges and expiries are events too.
      """
  ) { try FeedCommand(invocation: $0).run() }

  private static let verify = Verb(
    name: "verify", group: .insight, summary: "Prove from the journal that the books add up",
    options: [.seal, .customerDigests, .statementDigests],
    examples: ["gemctl verify", "gemctl verify --json", "gemctl verify --seal books.seal"],
    discussion: """
      Replays the journal, compares balances, lots and totals with it, and digests every transaction again. Exits \
      with 6 on any difference. With a seal it also proves that none of the sealed records was changed, removed or \
      inserted; what was erased since is left out, and said.
      """
  ) { try VerifyCommand(invocation: $0).run() }

  private static let seal = Verb(
    name: "seal", group: .insight, summary: "Prove the books, and fix the journal under one digest",
    options: [
      Option(
        name: "--customers", value: "FILE", kind: .file,
        help: "Write the digests of the customers' ids, notes and keys to this new file"),
      Option(
        name: "--statements", value: "FILE", kind: .file,
        help: "Write the digests of the statements of stores to this new file"),
    ],
    examples: ["gemctl seal > books.seal", "gemctl seal --customers customers.seal", "gemctl seal --json"],
    discussion: """
      A seal has six or seven lines; the last is the SHA-256 of the others, and of all transactions so far. Keep it \
      where those who may write to the storage may not, and compare it later with gemctl verify --seal FILE. Later \
      bookings, erasures and copies leave it true. Once customers were erased, the ids, notes and keys of the others \
      are proven with the file of --customers only. The file of --statements proves that no statement of a store is \
      missing. Books that do not add up have no seal: exit 6. What is booked between the proof and the seal is sealed \
      too.
      """
  ) { try SealCommands(invocation: $0).seal() }

  private static let sealProve = Verb(
    name: "seal prove", group: .insight, summary: "Prove to others that a transaction is in a sealed journal",
    arguments: [Argument(name: "TRANSACTION", help: "Its transaction id")], options: [.seal, .customerDigests],
    examples: ["gemctl seal prove 01a206c2-530f-7000-8000-0000003fa4d3 --seal books.seal"],
    discussion: """
      Prints the records of the transaction and the hashes that lead from them to the seal, as JSON. It takes --seal, \
      and tells nothing of other transactions. Whoever gets it checks it with "gemctl seal check", or with any \
      SHA-256. After an erasure it names the customer only with --customers.
      """
  ) { try SealCommands(invocation: $0).prove() }

  private static let sealCheck = Verb(
    name: "seal check", group: .insight, summary: "Check the proof of a transaction, without the ledger",
    arguments: [Argument(name: "FILE", kind: .file, help: "The proof; - is standard input")],
    options: [
      .seal,
      Option(name: "--digest", value: "SHA256", help: "The digest of the journal, as you know it from elsewhere"),
    ],
    examples: ["gemctl seal check proof.json --seal books.seal", "gemctl seal check - --digest SHA256"],
    discussion: """
      Needs no home and no storage. Exits with 6 where the proof does not hold, or is of another journal than the one \
      that --seal or --digest names.
      """
  ) { try SealCommands(invocation: $0).check() }

  private static let export = Verb(
    name: "export", group: .insight, summary: "Write the whole journal as lines of JSON",
    options: [
      Option(name: "--after", value: "CURSOR", help: "Only what came since the export that ended with this cursor"),
      Option(name: "--output", value: "FILE", kind: .file, help: "A new file (default: standard output)"),
    ],
    examples: ["gemctl export --output journal.jsonl", "gemctl export --after CURSOR > since.jsonl"],
    discussion: """
      It holds everything: history with its transaction ids, keys, purchases, refunds, orders, the catalog. Its last \
      line has a cursor; the export after that cursor goes on without a gap. An export, and those after it in order, \
      make an equal ledger with \"gemctl import\". It can be read by people and other programs.
      """
  ) { try ExportCommand(invocation: $0).run() }

  private static let importing = Verb(
    name: "import", group: .insight, summary: "Make a ledger of an export, or take over balances",
    arguments: [Argument(name: "FILE", kind: .file, help: "The file; - for standard input")],
    options: [
      Option(
        name: "--format", value: "FORMAT", kind: .oneOf(["journal", "csv", "revenuecat", "nakama"]),
        help: "What is in it: journal (default), csv, revenuecat or nakama"),
      Option(
        name: "--source", value: "SOURCE", kind: .oneOf(["bonus", "earned", "promotional", "admin"]),
        help: "What kind of currency balances are that do not say so: bonus, earned, promotional or admin (default)"),
      Option(
        name: "--map", value: "NAME=CODE", isRepeatable: true,
        help: "A currency's code for the name that a Nakama wallet has; may be given several times"),
      Option(name: "--dry-run", help: "Only check, and say what would be booked"),
    ],
    examples: [
      "gemctl --storage sqlite:new.sqlite import journal.jsonl", "gemctl import balances.csv --format csv --dry-run",
      "gemctl import wallets.jsonl --format nakama --map gems=GEM",
    ],
    discussion: """
      An export makes a ledger of its own, where nothing is yet; one with --after goes on where the ledger stands. \
      Every line is checked before anything is written, and the books are proved at the end. Until then the ledger \
      cannot be opened; an import that was interrupted goes on when the same line is given again.

      csv: opening balances under the header customer_id,currency,amount[,source,expires_at]. revenuecat: balances of \
      virtual currencies. nakama: rows of the wallet ledger, each booked, oldest first. Importing such a file again \
      changes nothing; what a line says otherwise than before is a problem. All problems are listed with their lines, \
      and then nothing is booked.
      """
  ) { try ImportCommand(invocation: $0).run() }

  private static let demo = Verb(
    name: "demo", group: .insight, summary: "Play a story of buying and spending, with its command lines",
    arguments: [Argument(name: "NAME", arity: .optional, help: "The story: gems or economy (default: gems)")],
    examples: ["gemctl demo", "gemctl demo economy"],
    discussion: "Plays in a home of its own, which is gone afterwards; yours is left alone."
  ) { try DemoCommand(invocation: $0).run() }
}

extension Option {
  fileprivate static let seal = Option(
    name: "--seal", value: "FILE", kind: .file, help: "The seal of the journal, as gemctl seal printed it")
  fileprivate static let customerDigests = Option(
    name: "--customers", value: "FILE", kind: .file,
    help: "The digests of customers that were written with the seal, so that an erasure leaves the others proven")
  fileprivate static let statementDigests = Option(
    name: "--statements", value: "FILE", kind: .file,
    help: "The digests of the stores' statements that were written with the seal, to prove that none is missing")
}
