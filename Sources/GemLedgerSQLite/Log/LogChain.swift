/// Follows the checksums of a log from its header on, and past the first frame that does not fit.
struct LogChain {
  /// The last frame that ends a commit which SQLite will find.
  private(set) var lastCommit = 0
  /// The first frame that does not fit, with the counts of frames and commits behind it that fit.
  private(set) var damage: WriteAheadLog.Damage?
  /// Whether something was written after a commit that lies behind the broken frame, or is it.
  private(set) var isProved = false

  /// What the commits say that SQLite will find.
  private(set) var content = LogContent()

  private let salt: UInt64
  private var sum: LogChecksum
  private var previous: Previous?

  /// The frame before, once one is broken.
  private struct Previous {
    /// The checksum that the frame states.
    let stated: LogChecksum
    /// The checksum that follows from the frame before it.
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
    // A frame of an earlier log matters only as the commit that another might go on from.
    guard isOfThisLog || frame.endsCommit else {
      previous = Previous(stated: frame.checksum, computed: frame.checksum, endsCommit: false, isCounted: false)
      return
    }
    var computed = frame.checksum(after: last.stated)
    var fits = computed == frame.checksum
    // The frame before may be whole but for the checksum that it states.
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

/// The frames of one log that go on from each other, found without its header.
struct FirstRun {
  /// The run's first frame; 0 before there is one.
  private(set) var first = 0
  /// The last of its frames that ends a commit; 0 where none does.
  private(set) var lastCommit = 0
  private(set) var commitCount = 0
  /// The newest frame of each page, as far as it was committed.
  private(set) var newestCommitted: [Int: Int] = [:]

  /// A frame that ends a commit and that nothing goes on from, before the run.
  private(set) var alone: (page: Int, frame: Int)?

  private var last: (salt: UInt64, checksum: LogChecksum)?
  private var uncommitted: [Int: Int] = [:]

  /// - Returns: Whether the run may go on.
  mutating func take(_ frame: LogFrame, number: Int) -> Bool {
    if let last, last.salt != frame.salt || frame.checksum(after: last.checksum) != frame.checksum {
      // A run of several frames ends here. One frame alone may be broken itself, so the next frames are examined.
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
