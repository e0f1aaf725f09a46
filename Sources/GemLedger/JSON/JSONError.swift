/// The reason why a text is refused as JSON, and its position.
package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The problem, as a sentence.
  package let message: String
  /// The line, from 1.
  package let line: Int
  /// The column, from 1, in Unicode scalars.
  package let column: Int
  /// The offset in bytes, from 0.
  package let offset: Int
  /// The innermost value that was being read, such as `$.products[2]`.
  package let path: String

  package var description: String { "\(path): \(message) (line \(line), column \(column))" }
}

extension JSONError {
  init(_ failure: JSONFailure, in bytes: UnsafeBufferPointer<UInt8>) {
    let before = bytes[..<min(failure.offset, bytes.count)]
    let lineStart = before.lastIndex(of: ASCII.lineFeed).map { $0 + 1 } ?? 0
    message = failure.message
    offset = failure.offset
    line = before.count { $0 == ASCII.lineFeed } + 1
    // Continuation bytes do not start a scalar.
    column = before[lineStart...].count { $0 & 0xC0 != 0x80 } + 1
    path = failure.path.description
  }
}

/// A failure on its way out of a reader: every level that it leaves adds its step of the path.
package struct JSONFailure: Error {
  enum Step {
    case member(String)
    case element(Int)
  }

  let message: String
  let offset: Int
  private var steps: [Step] = []

  init(_ message: String, at offset: Int) {
    self.message = message
    self.offset = offset
  }

  func leaving(_ step: Step) -> Self {
    var failure = self
    failure.steps.append(step)
    return failure
  }

  var path: JSONPath {
    steps.reversed().reduce(.root) { path, step in
      switch step {
      case .member(let name): path / name
      case .element(let index): path[index]
      }
    }
  }
}
