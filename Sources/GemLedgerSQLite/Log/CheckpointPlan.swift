/// Decides when the pages of the write-ahead log are copied into the file, and whether beside the writer.
///
/// The log starts again only when all of its pages are copied and nothing was appended since. So while commits follow
/// each other, the last pages are copied in a commit. Passes beside the writer come first and leave few of them. Each
/// pass has to leave at most half of the pages that it began with; otherwise the writer appends as fast as the pass
/// copies, or a reader keeps pages from being copied.
struct CheckpointPlan {
  enum Step {
    case nothing
    /// A pass on another thread.
    case beside
    /// A pass on the writer's thread, before its callers are answered.
    case inCommit
  }

  /// The number of pages of the log and how many of them are copied, as SQLite states it after a pass.
  struct Progress {
    let pages: Int
    let copied: Int
  }

  /// The number of pages in the log at which the first pass begins.
  private let limit: Int
  /// The number of pages from which the next pass begins.
  private var next: Int
  /// The pages of the log that are known to be copied.
  private var copied = 0
  /// The pages that the running or last pass beside the writer began with; nil before the first.
  private var begun: Int?
  private var isRunning = false
  private var last = 0

  init(limit: Int) { (self.limit, next) = (limit, limit) }

  /// The number of pages that a commit may copy.
  private var few: Int { limit / 8 }

  /// Decides after a commit.
  ///
  /// - Parameter pages: The number of pages in the log.
  mutating func step(pages: Int) -> Step {
    if pages < last { (next, copied, begun) = (limit, 0, nil) }
    last = pages
    guard pages >= next else { return .nothing }
    // A pass may wait long for a thread.
    guard !isRunning else { return pages >= 4 * limit ? .inCommit : .nothing }
    let left = pages - copied
    guard left > few, begun.map({ left <= $0 / 2 }) ?? true else { return .inCommit }
    (begun, isRunning) = (left, true)
    return .beside
  }

  /// Notes the end of a pass beside the writer; nil if it failed.
  mutating func endBeside(_ progress: Progress?) {
    isRunning = false
    // A log that started again meanwhile has fewer pages.
    if let progress, progress.pages <= last { copied = progress.copied }
    if progress == nil { begun = 0 }
  }

  /// Notes the end of a pass in a commit.
  mutating func endInCommit() {
    // If pages are left, a reader uses them: the next pass has to find enough new ones.
    next = last + few
    begun = nil
    copied = 0
  }
}
