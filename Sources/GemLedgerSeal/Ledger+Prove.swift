#if Receipts
public import GemLedger
internal import SystemCrypto

extension Ledger {
  /// Proves that a transaction is in the journal that a seal covers.
  ///
  /// It reads the journal once, as sealing does, and checks it against the seal in the same pass.
  ///
  /// - Parameters:
  ///   - id: The transaction.
  ///   - customers: Returns the digests stored with the seal, as for
  ///     ``check(_:customers:statements:progress:)``. Without them the proof names no customer once any was erased.
  ///   - progress: Called with the number of transactions read and their total.
  /// - Throws: `LedgerError` in order of precedence: `transaction_not_found`; `invalid_request` for a transaction that
  ///   the seal does not cover; as ``check(_:customers:statements:progress:)`` throws; `books_wrong` if the check
  ///   against the seal fails.
  public func prove(
    _ id: TransactionID, in seal: JournalSeal, customers: (() throws(LedgerError) -> CustomerDigest?)? = nil,
    progress: (Int64, Int64) -> Void = { _, _ in }
  ) throws(LedgerError) -> InclusionProof {
    try reading { (snapshot, definitions) throws(LedgerError) -> InclusionProof in
      guard let number = definitions.transactionIDs.number(of: id), let row = try snapshot.transaction(number),
        definitions.transactionIDs.id(number: number, createdAt: row.createdAt) == id
      else { throw LedgerError(.transactionNotFound, "There is no transaction \(id) in this ledger.") }
      guard seal.position.covers(number) else {
        throw LedgerError(.invalidRequest, "Transaction \(id) was booked after the journal was sealed.")
      }
      let walk = try SealWalk(snapshot, definitions, upTo: seal.position, proving: row)
      try walk.addJournal(progress)
      let (check, tree) = try SealCheck.of(walk, against: seal, following: row.customer, customers)
      guard check.holds else {
        throw LedgerError(.booksWrong, "The journal is not as it was sealed: \(check.problems[0]). Run verify.")
      }
      return InclusionProof(seal: seal, records: walk.records(customers: tree, seal))
    }
  }
}

extension SealWalk {
  /// Returns the found records, each with its path to the root.
  ///
  /// - Parameter customers: The tree of customers; nil if it cannot be rebuilt.
  fileprivate func records(customers: MerkleTree?, _ seal: JournalSeal) -> [InclusionProof.Record] {
    var ways: [Section: [(index: Int64, path: [SHA256Digest])]] = [
      .transactions: transactions.paths(hashes), .purchases: purchases.paths(hashes),
    ]
    // If the customer was erased later, its record differs from the sealed one.
    if let customers, let way = customers.paths(hashes).first,
      let line = found.first(where: { $0.section == .customers }),
      MerkleTree.root(of: hashes.leaf(line.line), at: way.index, path: way.path, count: customers.count, hashes)
        == seal.customers.root
    {
      ways[.customers] = [way]
      ways[.notes] = wantedCustomer.notes.paths(hashes)
      ways[.keys] = wantedCustomer.keys.paths(hashes)
    }
    return found.compactMap { record in
      guard let way = ways[record.section]?.first else { return nil }
      ways[record.section]?.removeFirst()
      return InclusionProof.Record(section: record.section, line: record.line, index: way.index, path: way.path)
    }
  }
}
#endif
