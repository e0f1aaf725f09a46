#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The reason that a command was refused or a storage could not answer.
///
/// The ``code`` is for programs. The ``message`` is for people: it gives the fault, the values, and the next step.
/// <doc:ErrorCodes> lists all codes.
public struct LedgerError: Error, Hashable, Sendable {
  /// One named fact about the failure, such as `available` = 120.
  public struct Detail: Hashable, Sendable {
    /// A number or a text.
    public enum Value: Hashable, Sendable {
      /// A whole number, such as an amount.
      case integer(Int64)
      /// A text, such as a field's name.
      case text(String)
    }

    /// The name of the fact, in `snake_case`.
    public let name: String
    /// The fact.
    public let value: Value

    /// Makes a fact, for a custom backend, verifier or journal.
    public init(name: String, value: Value) {
      self.name = name
      self.value = value
    }
  }

  /// The kind of the failure.
  public let code: Code
  /// A sentence for people.
  public let message: String
  /// Facts for programs, in a stable order.
  public let details: [Detail]
  /// Whether this is the answer of an earlier call with the same key.
  public var isReplayed = false

  /// Makes an error, for a custom backend, verifier or journal.
  ///
  /// - Parameters:
  ///   - code: The kind of the failure.
  ///   - message: The fault, the values, and the next step.
  ///   - details: Facts for programs.
  public init(_ code: Code, _ message: String, details: [Detail] = []) {
    self.code = code
    self.message = message
    self.details = details
  }

  /// The number with this name among the details.
  public func integer(_ name: String) -> Int64? {
    guard case .integer(let value)? = details.first(where: { $0.name == name })?.value else { return nil }
    return value
  }

  /// The text with this name among the details.
  public func text(_ name: String) -> String? {
    guard case .text(let value)? = details.first(where: { $0.name == name })?.value else { return nil }
    return value
  }
}

extension LedgerError: LocalizedError, CustomStringConvertible {
  /// The message, for `localizedDescription`.
  public var errorDescription: String? { message }
  /// Code and message.
  public var description: String { "\(code): \(message)" }
}

extension LedgerError.Detail {
  package static func integer(_ name: String, _ value: Int64) -> Self { Self(name: name, value: .integer(value)) }
  package static func text(_ name: String, _ value: String) -> Self { Self(name: name, value: .text(value)) }
}

extension LedgerError {
  package static func invalid(_ message: String) -> Self { Self(.invalidRequest, message) }

  /// Returns the error for a broken contract between parts of GemLedger.
  ///
  /// Its message asks for a report, because only the project can repair it.
  package static func defect(_ message: String) -> Self {
    Self(.unexpected, "\(message). This is a defect in GemLedger; please report it with the steps that led to it.")
  }
}
