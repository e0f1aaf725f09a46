extension Migration {
  static let addCopies = """
    -- A row while a copy of another storage's ledger is under way: the file is no ledger until it is gone.
    -- source: the newest transaction of what is copied.
    CREATE TABLE copy_progress (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      step INTEGER NOT NULL,
      pages INTEGER NOT NULL,
      source INTEGER NOT NULL
    ) STRICT;

    -- A row where numbers that another storage drew have gaps: up to which numbers, how many rows have those, and their
    -- latest instant. What this storage adds has no gaps again.
    CREATE TABLE copied_journal (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      last_transaction INTEGER NOT NULL,
      transactions INTEGER NOT NULL,
      last_entry INTEGER NOT NULL,
      entries INTEGER NOT NULL,
      created_at INTEGER NOT NULL
    ) STRICT;

    \(appendOnly("copied_journal"))
    """
}
