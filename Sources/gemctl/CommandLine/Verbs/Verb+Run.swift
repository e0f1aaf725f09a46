extension Verb {
  /// Verbs that keep the ledger running.
  static let run = [backup, storageCopy, storageGrant, storageLanes, storageDistribute, storageRepair]

  private static let backup = Verb(
    name: "backup", group: .run, summary: "Copy the ledger's file as it is now, and prove the copy",
    arguments: [Argument(name: "FILE", kind: .file, help: "A new file")],
    examples: ["gemctl backup backups/monday.sqlite", "gemctl --storage sqlite:shop.sqlite backup shop.backup"],
    discussion: """
      Beside running commands and servers: the copy is of one instant. It gets its name when its books are proved; \
      where they do not add up, nothing is left and the exit status is 6. Reading a backup needs nothing but the \
      file: \"gemctl --storage sqlite:FILE balance\" works, also on a medium that cannot be written.
      """
  ) { try BackupCommands(invocation: $0).backUp() }

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

      The copy is of one instant, also while others book; what is booked later is not in it, and a copy that was \
      interrupted then does not go on. A FROM with an older schema is brought up to date first. A URL with a password \
      shows in the list of processes; PGPASSWORD or a password file keeps it out.
      """
  ) { try StorageCommands(invocation: $0).copy() }

  private static let storageGrant = Verb(
    name: "storage grant", group: .run, summary: "Let a PostgreSQL role run the ledger",
    arguments: [Argument(name: "ROLE", help: "The role that the service logs in as")],
    examples: ["gemctl --storage postgres://owner@db/shop storage grant service"],
    discussion: """
      For the ledger's owner. The role may read everything, write what changes by nature, and add to the journal; it \
      cannot change or delete a journal record. Give the rights again after an update of GemLedger.
      """
  ) { try StorageCommands(invocation: $0).grant() }

  private static let storageLanes = Verb(
    name: "storage lanes", group: .run, summary: "Change how many groups may commit at once",
    arguments: [Argument(name: "N", help: "How many groups may commit side by side, 1 to 64")],
    examples: ["gemctl --storage postgres://owner@db/shop storage lanes 16"],
    discussion: """
      Services that have the ledger open fail with storage_unavailable from then on, and are to be restarted.
      """
  ) { try StorageCommands(invocation: $0).setLanes() }

  private static let storageDistribute = Verb(
    name: "storage distribute", group: .run, summary: "Spread a ledger over a Citus cluster",
    options: [Option(name: "--shards", value: "N", help: "How many shards, and lanes, 1 to 64 (default: 32)")],
    examples: ["gemctl --storage postgres://owner@db/shop storage distribute --shards 32"],
    discussion: """
      The database must have the extension citus. Customers are spread over shards, each with a lane of its own, in \
      one transaction: where it fails nothing has changed, and where it was done already nothing is spread again. The \
      rows that were copied are then removed from the coordinator, also those that an earlier call left. Services that \
      have the ledger open fail with storage_unavailable from then on, and are to be restarted.
      """
  ) { try StorageCommands(invocation: $0).distribute() }

  private static let storageRepair = Verb(
    name: "storage repair", group: .run, summary: "Make ids and customers go together again",
    options: [
      Option(
        name: "--id", value: "NUMBER=ID",
        help: "Give the customer of that number this id, where another customer has the customer's own"),
      .dryRun,
    ],
    examples: [
      "gemctl storage repair --dry-run", "gemctl --storage postgres://owner@db/shop storage repair",
      "gemctl storage repair --id 4711=alice-2",
    ],
    discussion: """
      For what verify names by customers_are_known or ids_name_customers, as a cluster may leave it where a machine is \
      lost in the middle of a commit. A customer's row says which ids are the customer's: an id that names nobody \
      names that customer again, and one that names somebody else is removed. No booking changes, and a second run \
      finds nothing more to do. An id that two customers have is listed and left, and the verb fails with books_wrong: \
      give the one that the id does not name another id, and merge them if they are one person. Restart what has the \
      ledger open where an id was removed.
      """
  ) { try StorageCommands(invocation: $0).repair() }
}
