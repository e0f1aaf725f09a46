/// Follows the checksums of a log from its header, and past the first invalid frame.
struct LogChain {
  /// The last frame that ends a commit before the first invalid frame.
  private(set) var lastCommit = 0
  /// The first invalid frame, with the counts of valid frames and commits after it.
  private(set) var damage: WriteAheadLog.Damage?
  /// Whether a frame was written after a commit that is the invalid frame or follows it.
  private(set) var isProved = false

  /// The content of the commits that SQLite will use.
  private(set) var content = LogContent()

  private let salt: UInt64
  private var sum: LogChecksum
  private var previous: Previous?

  /// The previous frame, after an invalid frame.
  private struct Previous {
    /// The checksum that the frame states.
    let stated: LogChecksum
    /// The checksum computed from the frame before it.
    let computed: LogChecksum
    let endsCommit: Bool
    let isCounted: Bool
  }

  init(_ header: LogHeader) {
    salt = header.salt
    sum = header.checksum
  }

  mutating func take(_ frame: LogFrame, number: Int) {
    if let previous { return follow(frame, after: previous) }
    let computed = frame.checksum(after: sum)
    guard frame.salt == salt, frame.page > 0, frame.checksum == computed else {
      damage = WriteAheadLog.Damage(frame: number, soundByteCount: 0)
      previous = Previous(
        stated: frame.checksum, computed: computed, endsCommit: frame.endsCommit, isCounted: false)
      return
    }
    sum = computed
    content.take(frame)
    if frame.endsCommit { lastCommit = number }
  }

  private mutating func follow(_ frame: LogFrame, after last: Previous) {
    let isOfThisLog = frame.salt == salt && frame.page > 0
    // A frame of an earlier log matters only as a commit that another frame may continue from.
    guard isOfThisLog || frame.endsCommit else {
      previous = Previous(stated: frame.checksum, computed: frame.checksum, endsCommit: false, isCounted: false)
      return
    }
    var computed = frame.checksum(after: last.stated)
    var fits = computed == frame.checksum
    // The previous frame may be intact except for its checksum.
    if !fits, last.computed != last.stated {
      let other = frame.checksum(after: last.computed)
      if other == frame.checksum { (computed, fits) = (other, true) }
    }
    let goesOn = isOfThisLog && fits
    if goesOn {
      damage?.framesBehind += 1
      if last.endsCommit {
        isProved = true
        if !last.isCounted { damage?.commitsBehind += 1 }
      }
      if frame.endsCommit { damage?.commitsBehind += 1 }
    }
    previous = Previous(
      stated: frame.checksum, computed: computed, endsCommit: frame.endsCommit, isCounted: goesOn && frame.endsCommit)
  }
}

/// The frames of one log that continue from each other, found without its header.
struct FirstRun {
  /// The run's first frame; 0 before the first.
  private(set) var first = 0
  /// The run's last frame that ends a commit; 0 if there is none.
  private(set) var lastCommit = 0
  private(set) var commitCount = 0
  /// The newest committed frame of each page.
  private(set) var newestCommitted: [Int: Int] = [:]

  /// A frame before the run that ends a commit and that no frame continues from.
  private(set) var alone: (page: Int, frame: Int)?

  private var last: (salt: UInt64, checksum: LogChecksum)?
  private var uncommitted: [Int: Int] = [:]

  /// - Returns: Whether the run may continue.
  mutating func take(_ frame: LogFrame, number: Int) -> Bool {
    if let last, last.salt != frame.salt || frame.checksum(after: last.checksum) != frame.checksum {
      // A run of several frames ends here. A single frame may be damaged, so the next frames are examined.
      if number - first > 1 { return false }
      if alone == nil, let page = newestCommitted.first?.key { alone = (page, first) }
      (lastCommit, commitCount, newestCommitted, uncommitted) = (0, 0, [:], [:])
      first = number
    }
    if first == 0 { first = number }
    last = (frame.salt, frame.checksum)
    guard frame.page > 0 else { return true }
    uncommitted[frame.page] = number
    if frame.endsCommit {
      newestCommitted.merge(uncommitted) { $1 }
      uncommitted = [:]
      lastCommit = number
      commitCount += 1
    }
    return true
  }
}
