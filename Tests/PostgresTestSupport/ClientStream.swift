#if PostgreSQL
/// The messages of a client to a server, read far enough to know when it commits a group.
///
/// The client sends the text of a prepared statement once, and afterwards its name only.
struct ClientStream {
  private var buffer: [UInt8] = []
  private var hasStarted = false
  private var statements: [String: String] = [:]
  private var isMarked = false
  /// How often the client has ended what it asks, to wait for the answers.
  private(set) var roundTrips = 0

  /// Takes the next bytes; says whether a group's COMMIT begins in them.
  mutating func feed(_ bytes: ArraySlice<UInt8>) -> Bool {
    buffer += bytes
    var isCommit = false
    var start = 0
    while let end = frameEnd(from: start) {
      let body = start + (hasStarted ? 5 : 4)
      if hasStarted, read(buffer[start], buffer[body..<end]) { isCommit = true }
      hasStarted = true
      start = end
    }
    buffer.removeFirst(start)
    return isCommit
  }

  /// The first message has no letter before its length.
  private func frameEnd(from start: Int) -> Int? {
    let at = start + (hasStarted ? 1 : 0)
    guard at + 4 <= buffer.count else { return nil }
    let end = at + buffer[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
    return end <= buffer.count ? end : nil
  }

  private mutating func read(_ letter: UInt8, _ body: ArraySlice<UInt8>) -> Bool {
    let words = body.split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
    switch letter {
    case UInt8(ascii: "P") where words.count > 1:
      statements[text(words[0])] = text(words[1])
    case UInt8(ascii: "B") where words.count > 1:
      let sql = statements[text(words[1])] ?? ""
      if sql.contains("INSERT INTO commit_tokens") || sql.contains(" write_group_") { isMarked = true }
      return isMarked && sql == "COMMIT"
    case UInt8(ascii: "S"):
      isMarked = false
      roundTrips += 1
    default: break
    }
    return false
  }

  private func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}
#endif
