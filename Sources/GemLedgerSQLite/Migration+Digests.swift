extension Migration {
  /// A process of an earlier version fails at the added columns, and cannot book without digests.
  static let digestTransactions = """
    -- digest: of all that was booked with the transaction; NULL where an older version booked it.
    -- erasable: the part of it that is of keys and the note, which an erasure removes; NULL for none.
    ALTER TABLE transactions ADD COLUMN digest INTEGER;
    ALTER TABLE transactions ADD COLUMN erasable INTEGER;

    -- Sums of the digests of all rows, which wrap around. is_counted: 0 until the rows of an older file are counted.
    CREATE TABLE record_sums (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      is_counted INTEGER NOT NULL CHECK (is_counted IN (0, 1)),
      transactions INTEGER NOT NULL,
      undigested INTEGER NOT NULL,
      customers INTEGER NOT NULL,
      added_ids INTEGER NOT NULL,
      account_tokens INTEGER NOT NULL,
      orders INTEGER NOT NULL,
      environments INTEGER NOT NULL,
      catalog_versions INTEGER NOT NULL,
      catalog INTEGER NOT NULL
    ) STRICT;
    INSERT INTO record_sums VALUES (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    """
}
