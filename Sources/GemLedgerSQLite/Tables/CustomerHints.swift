internal import GemLedger

/// The numbers of customers by the hashes of their ids, so that most customers are found by number.
///
/// A search by id compares texts in a large tree and then reads the customer's row; a search by number reads only the
/// row. The row has the id, so a wrong number is noticed, and hints never have to be removed. At most 4 MiB.
struct CustomerHints {
  private static let chunkCount = 1024
  private static let chunkSize = 1024

  /// Empty until its first number is stored.
  private var chunks: [[UInt32]] = []

  /// The number that was stored last with a hash of the same place, or 0.
  subscript(hash: Int) -> CustomerNumber {
    get {
      guard !chunks.isEmpty, !chunks[Self.chunk(hash)].isEmpty else { return 0 }
      return CustomerNumber(chunks[Self.chunk(hash)][Self.place(hash)])
    }
    set {
      guard let number = UInt32(exactly: newValue) else { return }
      if chunks.isEmpty { chunks = Array(repeating: [], count: Self.chunkCount) }
      let chunk = Self.chunk(hash)
      if chunks[chunk].isEmpty { chunks[chunk] = Array(repeating: 0, count: Self.chunkSize) }
      chunks[chunk][Self.place(hash)] = number
    }
  }

  private static func chunk(_ hash: Int) -> Int { (hash / chunkSize) & (chunkCount - 1) }
  private static func place(_ hash: Int) -> Int { hash & (chunkSize - 1) }
}
