extension Verb {
  /// Verbs for backups and the storage.
  static let run = [backup, storageCopy, storageGrant, storageLanes, storageDistribute, storageRepair]

  private static let backup = Verb(
    name: "backup", group: .run, summary: "Back up the ledger's file and verify the copy",
    arguments: [Argument("FILE", kind: .file, help: "New file")],
    examples: ["gemctl backup backups/monday.sqlite", "gemctl --storage sqlite:shop.sqlite backup shop.backup"],
    discussion: """
      Commands and servers may run during the backup; the copy is a snapshot. If its books do not add up, the copy is \
      removed and the exit status is 6. A backup can be read directly, also from read-only media: \
      "gemctl --storage sqlite:FILE balance".
      """
  ) { try BackupCommands(invocation: $0).backUp() }

  private static let storageCopy = Verb(
    name: "storage copy", group: .run, summary: "Copy a ledger into another storage",
    arguments: [
      Argument("FROM", help: "Ledger to copy: sqlite:PATH or postgres://…"),
      Argument("TO", help: "New file or new schema: sqlite:PATH or postgres://…"),
    ],
    examples: [
      "gemctl storage copy sqlite:.gemctl/ledger.sqlite postgres://gem@db/shop",
      "gemctl storage copy postgres://gem@db/shop sqlite:backup.sqlite",
    ],
    discussion: """
      It copies all data with the transaction ids, then compares every row and verifies the books of the copy. Until \
      then the copy cannot be opened. After an interruption, run the same command again; it resumes the copy unless \
      FROM has changed.

      The copy is a snapshot: later bookings are not in it. A FROM with an older schema is upgraded first. A password \
      in a URL is visible in the process list; use PGPASSWORD or a password file.
      """
  ) { try StorageCommands(invocation: $0).copy() }

  private static let storageGrant = Verb(
    name: "storage grant", group: .run, summary: "Let a PostgreSQL role run the ledger",
    arguments: [Argument("ROLE", help: "Login role of the service")],
    examples: ["gemctl --storage postgres://owner@db/shop storage grant service"],
    discussion: """
      Run it as the owner of the ledger. The role can read everything, update current state and append to the \
      journal, but not change or delete journal records. Repeat it after an update of GemLedger.
      """
  ) { try StorageCommands(invocation: $0).grant() }

  private static let storageLanes = Verb(
    name: "storage lanes", group: .run, summary: "Set the number of lanes that commit concurrently",
    arguments: [Argument("N", help: "Number of lanes, 1 to 64")],
    examples: ["gemctl --storage postgres://owner@db/shop storage lanes 16"],
    discussion: """
      Afterwards restart the services that have the ledger open: they fail with storage_unavailable.
      """
  ) { try StorageCommands(invocation: $0).setLanes() }

  private static let storageDistribute = Verb(
    name: "storage distribute", group: .run, summary: "Distribute a ledger over a Citus cluster",
    options: [
      Option("--shards", "N", help: "Number of shards and lanes, 1 to 64 (default: two for each node with shards)")
    ],
    examples: ["gemctl --storage postgres://owner@db/shop storage distribute --shards 8"],
    discussion: """
      The database needs the extension citus. Customers are distributed over shards in one transaction, with one lane \
      per shard; if it fails, nothing changes. Then a function that writes the rows of a group is created, and the \
      copied rows are removed from the coordinator. A repeated call only creates a missing function, for example \
      after an update of GemLedger, and removes leftover rows. Afterwards restart the services that have the ledger \
      open: they fail with storage_unavailable.

      The best number is about two for each processor of the cluster. More lanes leave each group with fewer commands, \
      and a group costs a cluster far more than its commands. The cluster cannot be asked for its processors, so the \
      default counts nodes. The number cannot be changed later, and a cluster that grows uses no more nodes than lanes.
      """
  ) { try StorageCommands(invocation: $0).distribute() }

  private static let storageRepair = Verb(
    name: "storage repair", group: .run, summary: "Repair the assignment of ids to customers",
    options: [
      Option("--id", "NUMBER=ID", help: "Give customer NUMBER this id if another customer has its id"),
      .dryRun,
    ],
    examples: ["gemctl storage repair --dry-run", "gemctl storage repair --id 4711=alice-2"],
    discussion: """
      Run it if verify reports customers_are_known or ids_name_customers, for example after a cluster lost a machine \
      during a commit. It assigns ids according to the customers' rows and removes wrong assignments; bookings do not \
      change. If an id was removed, restart the processes that have the ledger open.

      If two customers have the same id, it changes neither and fails with books_wrong. Give the customer that the \
      id does not name another id with --id, and merge the two if they are one person.
      """
  ) { try StorageCommands(invocation: $0).repair() }
}
