/// JSON for the few documents that are written without a ledger: errors of the command line, help, version.
enum JSONText {
  /// The text as a JSON string with its quotation marks.
  static func string(_ text: String) -> String {
    var json = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": json += "\\\""
      case "\\": json += "\\\\"
      case "\n": json += "\\n"
      case "\r": json += "\\r"
      case "\t": json += "\\t"
      case "\u{00}"..."\u{1F}", "\u{7F}"..."\u{9F}": json += unicodeEscape(scalar)
      default: json.unicodeScalars.append(scalar)
      }
    }
    return json + "\""
  }

  /// An object; the values are JSON already.
  static func object(_ members: [(name: String, json: String)]) -> String {
    "{" + members.map { "\(string($0.name)):\($0.json)" }.joined(separator: ",") + "}"
  }

  private static func unicodeEscape(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
  }
}
