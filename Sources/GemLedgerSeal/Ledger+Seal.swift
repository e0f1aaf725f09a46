#if Receipts
public import GemLedger
internal import GemLedgerArchive
internal import SystemCrypto

extension Ledger {
  /// Seals the current journal: computes one digest over all its records.
  ///
  /// It reads one snapshot in one pass and writes nothing. Memory is bounded by the number of customers, not by the
  /// length of the history. It does not check the books; prove them first with `verify`.
  ///
  /// - Parameters:
  ///   - customers: Receives the digest of each customer in the journal, in order of customer numbers. Store them with
  ///     the seal: they prove the notes and ids of the remaining customers after some were erased.
  ///   - statements: Receives the digest of each store statement (32 bytes of memory each) in ascending order. Store
  ///     them with the seal: they show whether a statement is missing.
  ///   - progress: Called with the number of transactions read and their total.
  /// - Throws: `LedgerError` with `books_wrong` if the journal lacks rows, `storage_damaged` if rows cannot be read, or
  ///   the errors of `customers` and `statements`.
  public func seal(
    customers: (CustomerDigest) throws(LedgerError) -> Void = { _ in },
    statements: (StatementDigest) throws(LedgerError) -> Void = { _ in },
    progress: (Int64, Int64) -> Void = { _, _ in }
  ) throws(LedgerError) -> JournalSeal {
    try reading { (snapshot, definitions) throws(LedgerError) -> JournalSeal in
      let walk = try SealWalk(snapshot, definitions, upTo: nil)
      try walk.addJournal(progress)
      var tree = MerkleTree()
      try walk.forEachCustomer { (digest) throws(LedgerError) in
        tree.add(digest.leaf, walk.hashes)
        try customers(digest)
      }
      var stated = MerkleTree()
      for leaf in try walk.statements() {
        stated.add(leaf, walk.hashes)
        try statements(StatementDigest(leaf))
      }
      return JournalSeal(
        transactions: walk.transactions.sealed(walk.hashes), purchases: walk.purchases.sealed(walk.hashes),
        customers: tree.sealed(walk.hashes), statements: stated.count == 0 ? nil : stated.sealed(walk.hashes),
        position: walk.end)
    }
  }

  /// Checks that the journal still begins with the records that a seal covers.
  ///
  /// - Parameters:
  ///   - customers: Returns the next digest stored with the seal, then nil after the last; pass nil if none were
  ///     stored.
  ///   - statements: The same for the digests of store statements; pass nil to skip their comparison.
  ///   - progress: Called with the number of transactions read and their total.
  /// - Throws: `LedgerError` with `invalid_request` for digests that do not belong to the seal, or as
  ///   ``seal(customers:statements:progress:)`` throws.
  public func check(
    _ seal: JournalSeal, customers: (() throws(LedgerError) -> CustomerDigest?)? = nil,
    statements: (() throws(LedgerError) -> StatementDigest?)? = nil,
    progress: (Int64, Int64) -> Void = { _, _ in }
  ) throws(LedgerError) -> SealCheck {
    try reading { (snapshot, definitions) throws(LedgerError) -> SealCheck in
      let walk = try SealWalk(snapshot, definitions, upTo: seal.position)
      try walk.addJournal(progress)
      var check = try SealCheck.of(walk, against: seal, customers).check
      try check.compareStatements(walk, seal, statements)
      return check
    }
  }
}

extension MerkleTree {
  func sealed(_ hashes: RecordHashes) -> JournalSeal.Tree { JournalSeal.Tree(count: count, root: root(hashes)) }
}
#endif
