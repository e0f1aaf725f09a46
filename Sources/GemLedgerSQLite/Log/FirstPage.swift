/// The application's number in the file header (`user_version`): the schema version, and the generation of the newest
/// log in the file.
///
/// Each log begins with a commit that writes the next generation. So a log identifies the file state that it continues.
/// A file that replaced that state is detected before SQLite reads the log.
package struct FileVersion: Equatable {
  /// The number of applied schema steps.
  package var schema: Int32
  /// A number of 24 bits; 0 if no log has had a generation yet.
  var generation: UInt32

  package init(userVersion: Int32) {
    let bits = UInt32(bitPattern: userVersion)
    schema = Int32(bits & 0xFF)
    generation = bits >> 8
  }

  package var userVersion: Int32 { Int32(bitPattern: generation << 8 | UInt32(schema & 0xFF)) }

  /// Returns the generation of the next log.
  ///
  /// The first log gets an even number that depends on the project, the next logs get ascending odd numbers.
  ///
  /// - Parameter salt: The project's salt.
  func nextGeneration(salt: UInt64) -> UInt32 {
    generation == 0 ? max(2, UInt32(truncatingIfNeeded: salt ^ salt >> 32) & 0xFF_FFFE) : following
  }

  private var following: UInt32 { ((generation | 1) &+ 2) & 0xFF_FFFF }

  /// Whether a log that begins with the given generation may continue a file with this one.
  func isContinued(by first: UInt32) -> Bool {
    if generation == first { return true }
    return generation == 0 ? first & 1 == 0 : following == first
  }
}

/// The numbers of a database's first page that identify a state of the ledger.
struct FirstPage: Equatable {
  let version: FileVersion
  /// SQLite's schema change counter, which differs in a copy of a file.
  let schemaCookie: UInt32

  static let byteCount = 64

  /// - Parameter bytes: The start of the page; the result is nil for fewer than ``byteCount`` bytes.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= Self.byteCount else { return nil }
    func word(_ offset: Int) -> UInt32 {
      UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
    version = FileVersion(userVersion: Int32(bitPattern: word(60)))
    schemaCookie = word(40)
  }
}

/// The properties of a log's commits that determine which file they continue.
struct LogContent {
  /// The distinct first pages after its commits, in order.
  private(set) var firstPages: [FirstPage] = []
  /// The pages of its commits.
  private(set) var pages: Set<Int> = []
  /// The number of pages of the file after its last commit.
  private(set) var pageCount = 0

  private var uncommitted: (firstPage: FirstPage?, pages: [Int]) = (nil, [])

  /// Adds a valid frame.
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
  ///   - first: The file's first page without the log; nil for an empty file.
  ///   - fileByteCount: The size of the file.
  ///   - pageSize: The page size of the file.
  func continues(_ first: FirstPage?, fileByteCount: Int, pageSize: Int) -> Bool {
    // Every page is in the file or in the log, except the page with SQLite's lock bytes.
    let (filePageCount, lockPage) = (fileByteCount / pageSize, Self.lockByte / pageSize + 1)
    if pageCount > filePageCount {
      for page in filePageCount + 1...pageCount where page != lockPage && !pages.contains(page) { return false }
    }
    // A commit without the first page gives no information about it.
    guard let first, let oldest = firstPages.first else { return true }
    // A newer program's log is refused because of its schema.
    if firstPages.contains(where: { $0.version.schema > Migration.all.count }) { return true }
    // Pages of the log may have been checkpointed already.
    let isInLog = firstPages.contains { $0.version.generation == first.version.generation }
    guard isInLog || first.version.isContinued(by: oldest.version.generation) else { return false }
    return firstPages.contains {
      // A schema step increases the counter, as does an operator's index or VACUUM. A copy restarts it or has a higher
      // counter.
      $0.version.schema != first.version.schema
        || (0...Self.foreignChangeCountMax).contains(Int64($0.schemaCookie) - Int64(first.schemaCookie))
    }
  }

  /// The offset of SQLite's lock bytes (section 1.5 of its file format).
  private static let lockByte = 0x4000_0000
  /// The maximum number of schema changes in one log that are not by the ledger.
  private static let foreignChangeCountMax: Int64 = 8
}
