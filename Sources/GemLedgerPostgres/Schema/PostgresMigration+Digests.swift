#if PostgreSQL
  extension PostgresMigration {
    static let digestedTransactions = [
      // A process of an earlier version would book without digests: its groups end here.
      "UPDATE lanes SET layout = layout + 1",
      // digest: of all that was booked with the transaction; null where an older version booked it.
      // erasable: the part of it that is of keys and the note, which an erasure removes; null for none.
      "ALTER TABLE transactions ADD COLUMN digest bigint, ADD COLUMN erasable bigint",
      // Sums of the digests of all rows that the lane's groups wrote, which wrap around; null until the rows of an
      // older schema are counted.
      "ALTER TABLE lanes ADD COLUMN sums bigint[]",
    ]
  }
#endif
