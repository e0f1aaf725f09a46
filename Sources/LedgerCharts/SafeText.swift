/// Text from outside, made safe for a terminal.
///
/// Stored names and reasons have any source: an escape sequence or a change of writing direction in them could change
/// the displayed text.
package enum SafeText {
  /// The text with every character that could drive a terminal written as `\u{..}`.
  package static func escaped(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: drivesTerminal) else { return text }
    var safe = ""
    for scalar in text.unicodeScalars {
      if drivesTerminal(scalar) {
        safe += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      } else {
        safe.unicodeScalars.append(scalar)
      }
    }
    return safe
  }

  private static func drivesTerminal(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00...0x1F, 0x7F...0x9F: true  // control characters
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true  // writing direction
    case 0x2028, 0x2029: true  // line and paragraph ends
    default: false
    }
  }
}
