extension Verb {
  /// What keeps the ledger running.
  static let run = [storageCopy, storageGrant, storageLanes, storageDistribute]

  private static let storageCopy = Verb(
    name: "storage copy", group: .run, summary: "Copy a whole ledger into another storage",
    arguments: [
      Argument(name: "FROM", help: "The ledger to copy: sqlite:PATH or postgres://…; it is only read"),
      Argument(name: "TO", help: "Where it goes: a new file or a new schema"),
    ],
    examples: [
      "gemctl storage copy sqlite:.gemctl/ledger.sqlite postgres://gem@db/shop",
      "gemctl storage copy postgres://gem@db/shop sqlite:backup.sqlite",
    ],
    discussion: """
      Everything goes along: balances, history with its transaction ids, keys, purchases, refunds, orders, the \
      catalog. At the end every row is compared and the books of the copy are proved. Until then the copy cannot be \
      opened; one that was interrupted goes on when the same line is given again.

      Stop what writes to FROM before: what it writes meanwhile is not in the copy. A FROM of an older version is \
      brought up to date first. A URL with a password shows in the list of processes; PGPASSWORD or a password file \
      keeps it out.
      """)

  private static let storageGrant = Verb(
    name: "storage grant", group: .run, summary: "Let a PostgreSQL role run the ledger",
    arguments: [Argument(name: "ROLE", help: "The role that the service logs in as")],
    examples: ["gemctl --storage postgres://owner@db/shop storage grant service"],
    discussion: """
      For the ledger's owner. The role may read everything, write what changes by nature, and add to the journal; it \
      cannot change or delete a journal record. Give the rights again after an update of GemLedger.
      """)

  private static let storageLanes = Verb(
    name: "storage lanes", group: .run, summary: "Change how many groups may commit at once",
    arguments: [Argument(name: "N", help: "How many groups may commit side by side, 1 to 64")],
    examples: ["gemctl --storage postgres://owner@db/shop storage lanes 16"],
    discussion: """
      Services that have the ledger open fail with storage_unavailable from then on, and are to be restarted.
      """)

  private static let storageDistribute = Verb(
    name: "storage distribute", group: .run, summary: "Spread a ledger over a Citus cluster",
    options: [Option(name: "--shards", value: "N", help: "How many shards, and lanes, 1 to 64 (default: 32)")],
    examples: ["gemctl --storage postgres://owner@db/shop storage distribute --shards 32"],
    discussion: """
      The database must have the extension citus. Customers are spread over shards, each with a lane of its own, in \
      one transaction: where it fails nothing has changed, and where it was done already nothing is spread again. The \
      rows that were copied are then removed from the coordinator, also those that an earlier call left. Services that \
      have the ledger open fail with storage_unavailable from then on, and are to be restarted.
      """)
}
