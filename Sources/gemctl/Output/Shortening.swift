/// The way to shorten a cell of a table that is wider than its terminal.
enum Shortening: Sendable {
  case never
  /// A time loses its milliseconds, then its seconds, and then its year and zone.
  case time
  /// An id keeps its beginning and its end, which distinguish it from similar ids.
  case middle
  /// A text keeps its beginning.
  case end
  /// As `middle`, if the other cells could not be shortened enough.
  case lastResort

  /// The steps in which columns become narrower, each down to a width.
  ///
  /// Ids of the App Store (16 digits) stay whole as long as possible, since they are copied into the next command.
  private static let stages: [(kind: Shortening, widthMin: Int)] = [
    (.time, 17), (.middle, 16), (.end, 10), (.time, 11), (.middle, 11), (.lastResort, 8), (.middle, 9),
    (.lastResort, 6),
  ]

  /// Returns the text in at most this number of columns.
  func applied(to text: String, width: Int) -> String {
    guard self != .never, DisplayWidth.of(text) > width, width > 1 else { return text }
    if self == .time { return Self.time(text, width: width) }
    let tailWidth = self == .middle ? (width - 1) / 2 : 0
    let tail = Self.prefix(of: text.reversed(), width: tailWidth).reversed()
    return Self.prefix(of: text, width: width - 1 - tailWidth) + "…" + tail
  }

  /// `2026-11-23T12:40:35.193Z` in fewer columns.
  private static func time(_ text: String, width: Int) -> String {
    guard text.count == 24 else { return text }
    switch width {
    case 20...: return "\(text.prefix(19))Z"
    case 17...: return "\(text.prefix(16))Z"
    default: return String(text.dropFirst(5).prefix(11)).replacing("T", with: " ")
    }
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
    for stage in stages {
      while widths.reduce(0, +) > limit {
        let candidates = widths.indices.filter { shortenings[$0] == stage.kind && widths[$0] > stage.widthMin }
        guard let widest = candidates.max(by: { widths[$0] < widths[$1] }) else { break }
        widths[widest] -= 1
      }
    }
    return widths
  }
}
