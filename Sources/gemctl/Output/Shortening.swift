/// How a cell becomes shorter where a table is wider than its terminal.
enum Shortening: Sendable {
  case never
  /// A time loses its milliseconds, and then its seconds.
  case time
  /// An id keeps its beginning and its end, which tell it from its neighbours.
  case middle
  /// A text keeps its beginning.
  case end
  /// The same, where nothing else has become short enough.
  case lastResort

  /// The columns that such a cell keeps at least.
  fileprivate var widthMin: Int {
    switch self {
    case .never: .max
    case .time: 17
    case .middle: 11
    case .end: 10
    case .lastResort: 8
    }
  }

  /// The text in at most so many columns.
  func applied(to text: String, width: Int) -> String {
    guard self != .never, DisplayWidth.of(text) > width, width > 1 else { return text }
    if self == .time { return text.count == 24 ? "\(text.prefix(width < 20 ? 16 : 19))Z" : text }
    let tailWidth = self == .middle ? (width - 1) / 2 : 0
    let tail = Self.prefix(of: text.reversed(), width: tailWidth).reversed()
    return Self.prefix(of: text, width: width - 1 - tailWidth) + "…" + tail
  }

  private static func prefix(of characters: some Sequence<Character>, width: Int) -> String {
    var (kept, taken) = ("", 0)
    for character in characters {
      taken += DisplayWidth.of(String(character))
      guard taken <= width else { break }
      kept.append(character)
    }
    return kept
  }

  /// The widths of columns within a line: times become shorter first, then ids, the widest of them, and then texts.
  ///
  /// - Parameters:
  ///   - natural: The width of each column's widest cell.
  ///   - limit: The columns for all of them, without the spaces between.
  static func widths(_ natural: [Int], _ shortenings: [Shortening], limit: Int) -> [Int] {
    var widths = natural
    for kind in [Shortening.time, .middle, .end, .lastResort] {
      while widths.reduce(0, +) > limit {
        let candidates = widths.indices.filter { shortenings[$0] == kind && widths[$0] > kind.widthMin }
        guard let widest = candidates.max(by: { widths[$0] < widths[$1] }) else { break }
        widths[widest] -= 1
      }
    }
    return widths
  }
}
