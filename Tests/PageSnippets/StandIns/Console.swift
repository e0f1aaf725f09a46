import Synchronization

/// The lines that snippets print.
enum Console {
  private static let lines = Mutex<[String]>([])

  static func add(_ line: String) { lines.withLock { $0.append(line) } }

  /// Returns the lines since the last call.
  static func take() -> [String] {
    lines.withLock { lines in
      defer { lines = [] }
      return lines
    }
  }
}

func print(_ items: Any...) { Console.add(items.map { "\($0)" }.joined(separator: " ")) }

/// The app's session, as its own server hands it out.
let yourSessionToken = "session-1"
