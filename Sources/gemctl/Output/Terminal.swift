import GemLedger

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Standard output and standard error, and the properties of their readers.
struct Terminal: Sendable {
  /// The exit status if the reader closed standard output, as shells report for SIGPIPE.
  static let brokenPipeStatus: Int32 = 141

  var outputIsTerminal = false
  var errorIsTerminal = false
  /// False if `NO_COLOR` is set and not empty (no-color.org), or the terminal is a dumb terminal.
  var allowsColor = true
  /// Columns of the terminal.
  var width = 80
  /// Captures the output instead of showing it; nil to show it.
  var captured: CapturedOutput?
}

extension Terminal {
  /// Returns the terminal of the process.
  static func current() -> Terminal {
    Terminal(
      outputIsTerminal: isatty(STDOUT_FILENO) == 1, errorIsTerminal: isatty(STDERR_FILENO) == 1,
      allowsColor: (Environment.value("NO_COLOR") ?? "").isEmpty && Environment.value("TERM") != "dumb",
      width: columns() ?? 80)
  }

  var outputStyle: Style {
    Style(isOn: outputIsTerminal && allowsColor, width: outputIsTerminal && captured == nil ? width : nil)
  }
  var errorStyle: Style { Style(isOn: errorIsTerminal && allowsColor) }

  /// Writes to standard output; ends the process silently if the reader has closed it.
  ///
  /// - Throws: `LedgerError` with `input_output`: a script must not mistake a partial answer for a complete answer.
  func output(_ text: String) throws(LedgerError) {
    if let captured { return captured.append(text) }
    switch ByteWriter.write(text, to: STDOUT_FILENO) {
    case .done: return
    case .closed: exit(Self.brokenPipeStatus)
    case .failed(let number):
      throw LedgerError(.inputOutput, "Standard output cannot be written: \(ByteWriter.name(of: number)).")
    }
  }

  /// Writes to standard error; a failure of that cannot be reported.
  func error(_ text: String) {
    if let captured { return captured.append(text) }
    _ = ByteWriter.write(text, to: STDERR_FILENO)
  }

  private static func columns() -> Int? {
    var size = winsize()
    for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
      if ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
    }
    return nil
  }
}

/// Variables of the process's environment.
enum Environment {
  static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  /// Returns the variable's value, or nil if it is not set.
  ///
  /// A value that is not UTF-8 is refused: repaired silently, it could name another customer or home.
  static func checked(_ name: String) throws(UsageError) -> String? {
    guard let bytes = getenv(name) else { return nil }
    guard let value = String(validatingCString: bytes) else { throw UsageError("\(name) is not valid UTF-8") }
    return value
  }
}
