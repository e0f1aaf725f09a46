/// The number in a file's header that SQLite leaves to programs (`user_version`): the schema, and the generation of the
/// newest log in the file.
///
/// Each log begins with a commit that writes the generation after the one before. So a log shows which state of the
/// file it continues, and a file that was put in the place of that state is found out before SQLite reads the log.
package struct FileVersion: Equatable {
  /// How many steps of the schema were applied.
  package var schema: Int32
  /// 24 bits; 0 where no log had one yet.
  var generation: UInt32

  package init(userVersion: Int32) {
    let bits = UInt32(bitPattern: userVersion)
    schema = Int32(bits & 0xFF)
    generation = bits >> 8
  }

  package var userVersion: Int32 { Int32(bitPattern: generation << 8 | UInt32(schema & 0xFF)) }

  /// The generation of the next log: of the first one an even number of the project's own, then odd ones, counted up.
  ///
  /// - Parameter salt: The project's.
  func nextGeneration(salt: UInt64) -> UInt32 {
    generation == 0 ? max(2, UInt32(truncatingIfNeeded: salt ^ salt >> 32) & 0xFF_FFFE) : following
  }

  private var following: UInt32 { ((generation | 1) &+ 2) & 0xFF_FFFF }

  /// Whether a log that begins with the other generation may continue a file with this one.
  func isContinued(by first: UInt32) -> Bool {
    if generation == first { return true }
    return generation == 0 ? first & 1 == 0 : following == first
  }
}

/// The numbers of a database's first page that tell one state of a ledger from another.
struct FirstPage: Equatable {
  let version: FileVersion
  /// SQLite's count of changes of the schema, which a copy of a file has otherwise.
  let schemaCookie: UInt32

  static let byteCount = 64

  /// - Parameter bytes: The page's first ones; nil where there are fewer than ``byteCount``.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= Self.byteCount else { return nil }
    func word(_ offset: Int) -> UInt32 {
      UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
    version = FileVersion(userVersion: Int32(bitPattern: word(60)))
    schemaCookie = word(40)
  }
}

/// What the commits of a log say about the file that they continue.
struct LogContent {
  /// The different first pages that its commits left, in their order.
  private(set) var firstPages: [FirstPage] = []
  /// The pages of its commits.
  private(set) var pages: Set<Int> = []
  /// How many pages the file has after its last commit.
  private(set) var pageCount = 0

  private var uncommitted: (firstPage: FirstPage?, pages: [Int]) = (nil, [])

  /// Takes a frame that fits.
  mutating func take(_ frame: LogFrame) {
    uncommitted.pages.append(frame.page)
    if frame.page == 1 { uncommitted.firstPage = FirstPage(frame.content) ?? uncommitted.firstPage }
    guard frame.endsCommit else { return }
    if let page = uncommitted.firstPage, page != firstPages.last { firstPages.append(page) }
    pages.formUnion(uncommitted.pages)
    pageCount = frame.pageCount
    uncommitted = (nil, [])
  }

  /// Whether the log may continue a file.
  ///
  /// - Parameters:
  ///   - first: The file's first page, as it lies there without the log; nil for an empty file.
  ///   - fileByteCount: How long the file is.
  ///   - pageSize: How long its pages are.
  func continues(_ first: FirstPage?, fileByteCount: Int, pageSize: Int) -> Bool {
    // Every page is in the file or in the log, but for the one with the bytes that SQLite locks.
    let (filePageCount, lockPage) = (fileByteCount / pageSize, Self.lockByte / pageSize + 1)
    if pageCount > filePageCount {
      for page in filePageCount + 1...pageCount where page != lockPage && !pages.contains(page) { return false }
    }
    // A commit without the first page says nothing about it.
    guard let first, let oldest = firstPages.first else { return true }
    // A newer program's log is refused for its schema.
    if firstPages.contains(where: { $0.version.schema > Migration.all.count }) { return true }
    // Pages of the log may be in the file already.
    let isInLog = firstPages.contains { $0.version.generation == first.version.generation }
    guard isInLog || first.version.isContinued(by: oldest.version.generation) else { return false }
    return firstPages.contains {
      // A step of the schema counts on, and so does an operator's own index or VACUUM. A copy counts anew, or is ahead.
      $0.version.schema != first.version.schema
        || (0...Self.foreignChangeCountMax).contains(Int64($0.schemaCookie) - Int64(first.schemaCookie))
    }
  }

  /// Where the bytes begin that SQLite locks (section 1.5 of its file format).
  private static let lockByte = 0x4000_0000
  /// The most changes of the schema in one log that are not the ledger's own.
  private static let foreignChangeCountMax: Int64 = 8
}
