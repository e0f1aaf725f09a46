internal import GemLedger

/// One problem of an import, with its line.
public struct ImportProblem: Hashable, Sendable, CustomStringConvertible {
  /// The line, from 1.
  public let line: Int64
  /// The problem, as a sentence.
  public let message: String

  /// Line and message.
  public var description: String { "Line \(line): \(message)" }
}

/// Collects problems up to a bound, so that one round of corrections is enough.
struct ImportProblems {
  /// The maximum number of listed problems; all are counted.
  static let listedMax = 100

  private(set) var problems: [ImportProblem] = []
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  mutating func add(_ line: Int64, _ message: String) {
    count += 1
    if problems.count < Self.listedMax { problems.append(ImportProblem(line: line, message: message)) }
  }

  /// - Parameter what: The subject of the import, such as `The export`.
  func check(_ what: String) throws(LedgerError) {
    if !isEmpty { throw error(what) }
  }

  func error(_ what: String) -> LedgerError {
    let counted = count == 1 ? "a problem" : "\(count) problems"
    var lines = ["\(what) has \(counted); nothing was imported:"] + problems.map(\.description)
    if count > problems.count { lines.append("and \(count - problems.count) more") }
    let details = problems.enumerated().map { index, problem in
      LedgerError.Detail.text("problems[\(index)]", problem.description)
    }
    return LedgerError(
      .invalidImport, lines.joined(separator: "\n"), details: [.integer("problem_count", Int64(count))] + details)
  }
}
