#if Receipts
internal import GemLedger
internal import SystemCrypto

/// The hashes of idempotency keys, grouped by customer.
///
/// The order of a key scan depends on the storage. Each pass over the keys keeps as many hashes as fit into memory,
/// those of the lowest customer numbers. The remaining customers need another pass.
struct KeyLeaves {
  private struct Leaf {
    let customer: CustomerNumber
    let hash: SHA256Digest
  }

  /// The maximum number of hashes in memory, 40 bytes each.
  static let countMax = 4_000_000

  private let scan: any StorageScan
  private let countMax: Int
  /// Returns the hash of a key; nil if the seal does not cover the key.
  private let hash: (KeyRow) throws(LedgerError) -> SHA256Digest?
  /// The kept hashes, sorted by customer, then by hash.
  private var leaves: [Leaf] = []
  private var position = 0
  /// Keys of customers from this number on are not kept.
  private var end: CustomerNumber = 0

  init(
    _ scan: any StorageScan, countMax: Int = Self.countMax,
    hash: @escaping (KeyRow) throws(LedgerError) -> SHA256Digest?
  ) {
    self.scan = scan
    self.countMax = countMax
    self.hash = hash
  }

  /// Returns a customer's key hashes in ascending order; customer numbers must ascend from call to call.
  mutating func take(_ customer: CustomerNumber) throws(LedgerError) -> [SHA256Digest] {
    if customer >= end { try load(from: customer) }
    while position < leaves.count, leaves[position].customer < customer { position += 1 }
    let start = position
    while position < leaves.count, leaves[position].customer == customer { position += 1 }
    return leaves[start..<position].map(\.hash)
  }

  private mutating func load(from start: CustomerNumber) throws(LedgerError) {
    leaves.removeAll(keepingCapacity: true)
    (position, end) = (0, .max)
    try scan.pages { (page: [KeyRow]) throws(LedgerError) in
      for row in page where row.customer >= start && row.customer < end {
        guard let hash = try hash(row) else { continue }
        leaves.append(Leaf(customer: row.customer, hash: hash))
      }
      if leaves.count >= countMax { cut(from: start) }
    }
    leaves.sort { $0.customer == $1.customer ? $0.hash < $1.hash : $0.customer < $1.customer }
  }

  /// Drops the upper half of the customers; keys of one customer stay together regardless of their count.
  private mutating func cut(from start: CustomerNumber) {
    guard end > start + 1 else { return }
    let middle = leaves.map(\.customer).sorted()[leaves.count / 2]
    end = max(middle, start + 1)
    leaves.removeAll { $0.customer >= end }
  }
}
#endif
