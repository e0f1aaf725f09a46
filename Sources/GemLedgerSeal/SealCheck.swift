#if Receipts
public import GemLedger
internal import SystemCrypto

/// The result of comparing a journal with its seal.
public struct SealCheck: Hashable, Sendable {
  /// The differences as sentences; empty if the journal still begins with the sealed records.
  ///
  /// It names at most 100 customers.
  public private(set) var problems: [String] = []
  /// The number of customers erased since sealing; their ids, notes and keys can no longer be proven.
  ///
  /// Nil if customers were erased and their digests were not stored: then no customer can be proven.
  public private(set) var erasedCustomerCount: Int? = 0
  /// Whether the sealed store statements were compared; false if the seal has statements but their digests were not
  /// given.
  public private(set) var comparesStatements = true

  /// Whether no sealed record was changed, removed or inserted.
  public var holds: Bool { problems.isEmpty }

  private static let namedCustomerCountMax = 100
}

extension SealCheck {
  /// Compares the records of a walk with a seal.
  ///
  /// - Returns: The result, and the tree of customers with paths to the requested customer; nil if the tree cannot be
  ///   rebuilt.
  static func of(
    _ walk: SealWalk, against seal: JournalSeal, following wanted: Int64? = nil,
    _ kept: (() throws(LedgerError) -> CustomerDigest?)?
  ) throws(LedgerError) -> (check: SealCheck, customers: MerkleTree?) {
    var check = SealCheck()
    check.compare("transactions", walk.transactions.sealed(walk.hashes), seal.transactions)
    check.compare("purchases", walk.purchases.sealed(walk.hashes), seal.purchases)
    if let kept {
      let tree = try check.compareEach(walk, seal, following: wanted, kept)
      return (check, tree)
    }
    var tree = MerkleTree()
    try walk.forEachCustomer { (digest) throws(LedgerError) in
      tree.add(digest.leaf, isFollowed: digest.number == wanted, walk.hashes)
    }
    let found = tree.sealed(walk.hashes)
    guard found != seal.customers else { return (check, tree) }
    // An erasure removes the hashed data; without the stored digests nothing more can be checked.
    if walk.hasLaterErasures, found.count == seal.customers.count {
      check.erasedCustomerCount = nil
    } else {
      check.compare("ids, notes and keys of customers", found, seal.customers)
    }
    return (check, nil)
  }

  /// Checks that each sealed statement still exists; statements are added but never removed.
  ///
  /// - Throws: `LedgerError` with `invalid_request` for digests that do not belong to the seal.
  mutating func compareStatements(
    _ walk: SealWalk, _ seal: JournalSeal, _ kept: (() throws(LedgerError) -> StatementDigest?)?
  ) throws(LedgerError) {
    guard let kept else {
      comparesStatements = seal.statements == nil
      return
    }
    let known = Set(try walk.statements())
    var (tree, missing, last): (MerkleTree, Int, SHA256Digest?) = (MerkleTree(), 0, nil)
    while let digest = try kept() {
      guard last.map({ $0 < digest.leaf }) ?? true else { throw JournalSeal.otherStatements }
      tree.add(digest.leaf, walk.hashes)
      if !known.contains(digest.leaf) { missing += 1 }
      last = digest.leaf
    }
    guard (tree.count == 0 ? nil : tree.sealed(walk.hashes)) == seal.statements else {
      throw JournalSeal.otherStatements
    }
    if missing > 0 { problems.append("sealed statements of stores are not there any more: \(missing)") }
  }

  private mutating func compare(_ what: String, _ found: JournalSeal.Tree, _ sealed: JournalSeal.Tree) {
    guard found != sealed else { return }
    problems.append(
      found.count == sealed.count
        ? "the \(what) are not those that were sealed"
        : "the \(what) are not those that were sealed: \(found.count) of them, and \(sealed.count) were sealed")
  }

  /// Compares each customer, using the stored digest for a customer erased since sealing.
  private mutating func compareEach(
    _ walk: SealWalk, _ seal: JournalSeal, following wanted: Int64?,
    _ kept: () throws(LedgerError) -> CustomerDigest?
  ) throws(LedgerError) -> MerkleTree {
    var tree = MerkleTree()
    var (changed, erased) = (0, 0)
    var next = try kept()
    func note(_ number: Int64, _ what: String) {
      changed += 1
      if changed <= Self.namedCustomerCountMax { problems.append("customer number \(number) \(what)") }
    }
    func passOver(before number: Int64) throws(LedgerError) {
      while let digest = next, digest.number < number {
        tree.add(digest.leaf, isFollowed: digest.number == wanted, walk.hashes)
        note(digest.number, "is not in the journal any more")
        next = try JournalSeal.following(digest, kept)
      }
    }
    try walk.forEachCustomer { (found) throws(LedgerError) in
      try passOver(before: found.number)
      guard let digest = next, digest.number == found.number else {
        return note(found.number, "was not in the journal when it was sealed")
      }
      tree.add(digest.leaf, isFollowed: digest.number == wanted, walk.hashes)
      if digest != found {
        if walk.wasErasedLater(found.number) {
          erased += 1
        } else {
          note(found.number, "has an id, notes or keys that are not those that were sealed")
        }
      }
      next = try JournalSeal.following(digest, kept)
    }
    try passOver(before: .max)
    guard tree.sealed(walk.hashes) == seal.customers else { throw JournalSeal.otherDigests }
    if changed > Self.namedCustomerCountMax {
      problems.append("\(changed - Self.namedCustomerCountMax) more customers are not as they were sealed")
    }
    erasedCustomerCount = erased
    return tree
  }
}

extension JournalSeal {
  /// Checks that customer digests belong to the seal, without a ledger.
  ///
  /// - Parameter customers: Returns the next digest, and nil after the last.
  /// - Throws: `LedgerError` with `invalid_request` if they do not belong to the seal, or the errors of `customers`.
  public func check(customers: () throws(LedgerError) -> CustomerDigest?) throws(LedgerError) {
    let hashes = RecordHashes()
    var tree = MerkleTree()
    var next = try customers()
    while let digest = next {
      tree.add(digest.leaf, hashes)
      next = try Self.following(digest, customers)
    }
    guard tree.sealed(hashes) == self.customers else { throw Self.otherDigests }
  }

  fileprivate static func following(
    _ digest: CustomerDigest, _ kept: () throws(LedgerError) -> CustomerDigest?
  ) throws(LedgerError) -> CustomerDigest? {
    let next = try kept()
    if let next, next.number <= digest.number {
      throw LedgerError(.invalidRequest, "The digests of customers are not in the order of their numbers.")
    }
    return next
  }

  fileprivate static var otherStatements: LedgerError {
    LedgerError(
      .invalidRequest,
      "The digests of statements are not those of this seal. Give the file that was written with it, or none.")
  }

  fileprivate static var otherDigests: LedgerError {
    LedgerError(
      .invalidRequest,
      "The digests of customers are not those of this seal. Give the file that was written with it, or none.")
  }
}
#endif
