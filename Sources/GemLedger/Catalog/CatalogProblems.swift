#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// One problem of a catalog, with its position.
public struct CatalogProblem: Hashable, Sendable, CustomStringConvertible {
  /// The position, such as `$.products[2].prices.USA`.
  public let path: String
  /// The problem, as a sentence.
  public let message: String

  package init(path: String, message: String) {
    self.path = path
    self.message = message
  }

  package init(_ error: JSONError) {
    path = error.path
    message = "\(error.message) (line \(error.line), column \(error.column))"
  }

  /// Position and message.
  public var description: String { "\(path): \(message)" }
}

/// Why a catalog was refused: every problem at once, so that one round of corrections is enough.
public struct CatalogProblems: Error, Hashable, Sendable {
  /// The problems, at least one.
  public let problems: [CatalogProblem]

  package init(_ problems: [CatalogProblem]) { self.problems = problems }

  package init(path: String, message: String) {
    problems = [CatalogProblem(path: path, message: message)]
  }

  /// The refusal as an error of the ledger: `invalid_catalog`, one problem a line, and each among the details.
  public var ledgerError: LedgerError { ledgerError(of: "catalog") }

  /// The same error about a file with another purpose, by its path.
  package func ledgerError(in path: String) -> LedgerError { ledgerError(of: "file \"\(path.abridged)\"") }

  private func ledgerError(of subject: String) -> LedgerError {
    let details = problems.enumerated().map { index, problem in
      LedgerError.Detail.text("problems[\(index)]", problem.description)
    }
    return LedgerError(.invalidCatalog, text(of: subject), details: details)
  }
}

extension CatalogProblems: LocalizedError, CustomStringConvertible {
  /// The problems, for `localizedDescription`.
  public var errorDescription: String? { description }

  /// How many problems there are, and one problem a line.
  public var description: String { text(of: "catalog") }

  private func text(of subject: String) -> String {
    let count = problems.count == 1 ? "a problem" : "\(problems.count) problems"
    return (["The \(subject) has \(count):"] + problems.map(\.description)).joined(separator: "\n")
  }
}
