/// The number of terminal columns of a text.
enum DisplayWidth {
  /// The columns of a text without control characters; two for wide East Asian characters and emoji.
  static func of(_ text: String) -> Int {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
    return text.reduce(0) { $0 + of($1) }
  }

  private static func of(_ character: Character) -> Int {
    guard let first = character.unicodeScalars.first else { return 0 }
    if isWide(first) || first.properties.isEmojiPresentation { return 2 }
    // The variation selector asks for the colourful form of a character that is plain otherwise, such as a heart.
    if first.properties.isEmoji, character.unicodeScalars.contains("\u{FE0F}") { return 2 }
    return isInvisible(first) ? 0 : 1
  }

  private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: true
    default: false
    }
  }

  // The blocks that Unicode's East Asian Width calls wide or full-width, without the holes between them.
  private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
      0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x17000...0x18AFF, 0x1B000...0x1B2FF,
      0x20000...0x3FFFD:
      true
    default:
      false
    }
  }
}
