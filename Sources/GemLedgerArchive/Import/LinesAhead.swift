internal import GemLedger

/// Works on blocks of lines ahead of their use, on other threads, and returns the results in the order of the lines.
struct LinesAhead<Answer: Sendable> {
  private var reader: LineReader
  private let aheadCount: Int
  private let isFull: @Sendable (LineBlock) -> Bool
  private let work: @Sendable (LineBlock) throws(LedgerError) -> Answer
  /// In the order of the lines.
  private var tasks: [BackgroundTask<Answer>] = []
  /// The error of reading the next block; the caller receives the earlier blocks first.
  private var failure: LedgerError?

  /// - Parameters:
  ///   - aheadCount: The number of blocks to work on while the caller uses an earlier one.
  ///   - isFull: Whether a block has all its lines.
  init(
    _ reader: LineReader, aheadCount: Int, isFull: @escaping @Sendable (LineBlock) -> Bool,
    work: @escaping @Sendable (LineBlock) throws(LedgerError) -> Answer
  ) {
    self.reader = reader
    self.aheadCount = aheadCount
    self.isFull = isFull
    self.work = work
  }

  /// Returns the result of the next block; nil after the last.
  ///
  /// - Throws: The errors of reading and of the work, after the results of all earlier blocks.
  mutating func next() throws(LedgerError) -> Answer? {
    while tasks.count <= aheadCount, failure == nil {
      do throws(LedgerError) {
        guard let block = try reader.block(isFull) else { break }
        tasks.append(BackgroundTask { [work] () throws(LedgerError) in try work(block) })
      } catch {
        failure = error
      }
    }
    guard tasks.isEmpty else { return try tasks.removeFirst().wait() }
    if let failure { throw failure }
    return nil
  }

  /// The number of bytes read.
  var byteCount: Int64 { reader.byteCount }
}
