import GemLedger
import LedgerCharts

/// The text of a failure; the only code that renders errors.
struct ErrorReport: Hashable, Sendable {
  let exitStatus: Int32
  private let text: String
  private let json: String

  /// A command line that cannot be understood.
  init(_ error: UsageError) {
    let details = error.suggestion.map { JSONObject([("suggestion", .string($0))]) } ?? JSONObject()
    exitStatus = UsageError.code.exitStatus
    text = error.text
    json = Self.document(UsageError.code, error.sentence, details)
  }

  /// A command that the ledger refused or could not carry out.
  init(_ error: LedgerError) {
    exitStatus = error.code.exitStatus
    // Some messages are lists with one entry per line: line ends stay, other control characters are escaped.
    let lines = error.message.split(separator: "\n").map { SafeText.escaped(String($0)) }
    text = "error: \(lines.joined(separator: "\n"))\n"
    json = Self.document(
      error.code, error.message, JSONObject(error.details.map { (name: $0.name, value: $0.value.json) }))
  }

  /// Writes it to standard error and gives the exit status.
  func write(to terminal: Terminal, asJSON: Bool) -> Int32 {
    terminal.error(rendered(asJSON: asJSON, style: terminal.errorStyle))
    return exitStatus
  }

  func rendered(asJSON: Bool, style: Style = .plain) -> String {
    if asJSON { return json + "\n" }
    return style.red("error:") + text.dropFirst("error:".count)
  }

  private static func document(_ code: LedgerError.Code, _ message: String, _ details: JSONObject) -> String {
    let error: JSONValue = [
      "code": .string(code.description), "message": .string(message), "details": .object(details),
    ]
    return JSONValue.object(["error": error]).text(.terminal)
  }
}

extension LedgerError.Detail.Value {
  fileprivate var json: JSONValue {
    switch self {
    case .integer(let number): .integer(number)
    case .text(let text): .string(text)
    }
  }
}

extension LedgerError {
  /// The error for a valid command line that the store or the client refuses: status 64 is for command lines alone.
  var asRefusal: LedgerError {
    guard code == .invalidRequest || code == .configuration else { return self }
    return LedgerError(.notAvailable, message, details: details)
  }
}
