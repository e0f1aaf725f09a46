import GemLedger

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Standard output and standard error, and the properties of their readers.
struct Terminal: Sendable {
  /// The exit status after the reader of standard output went away: as a shell reports a program that SIGPIPE ended.
  static let brokenPipeStatus: Int32 = 141

  var outputIsTerminal = false
  var errorIsTerminal = false
  /// False where `NO_COLOR` is set to anything but nothing (no-color.org), or the terminal is a dumb one.
  var allowsColor = true
  /// Columns of the terminal.
  var width = 80
  /// Captures the output, where it is not shown.
  var captured: CapturedOutput?
}

extension Terminal {
  /// The process's own, as it is now.
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

  /// Writes to standard output; ends the process without a word when its reader has gone away.
  ///
  /// - Throws: `LedgerError` with `input_output`: a script must not take half an answer for a whole one.
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

  /// The variable's value, or nil where it is not set.
  ///
  /// A value that is not UTF-8 is refused: mended silently, it could name another customer or home.
  static func checked(_ name: String) throws(UsageError) -> String? {
    guard let bytes = getenv(name) else { return nil }
    guard let value = String(validatingCString: bytes) else { throw UsageError("\(name) is not valid UTF-8") }
    return value
  }
}
