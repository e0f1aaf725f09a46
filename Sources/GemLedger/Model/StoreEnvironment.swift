/// The environment of a purchase and its lots; money of different environments never mixes.
///
/// In Xcode and local testing a store's transaction ids start again with every test session, so the session is part of
/// the environment.
public struct StoreEnvironment: Hashable, Sendable, CustomStringConvertible {
  package enum Kind: Int64, CaseIterable, Sendable {
    case production = 1
    case sandbox = 2
    case xcode = 3
    case localTesting = 4
  }

  package let kind: Kind
  /// The test session, for Xcode and local testing.
  public let session: String?

  package init(kind: Kind, session: String?) {
    self.kind = kind
    self.session = session
  }

  /// Real money.
  public static let production = Self(kind: .production, session: nil)
  /// The store's sandbox.
  public static let sandbox = Self(kind: .sandbox, session: nil)

  /// A StoreKit test session in Xcode.
  ///
  /// - Throws: ``LedgerError`` with `invalid_identifier` when the session's name is not 1 to 255 bytes without control
  ///   characters.
  public static func xcode(session: String) throws(LedgerError) -> Self {
    Self(kind: .xcode, session: try TestSession(session).text)
  }

  /// A simulated store on this machine.
  ///
  /// - Throws: ``LedgerError`` with `invalid_identifier` when the session's name is not 1 to 255 bytes without control
  ///   characters.
  public static func localTesting(session: String) throws(LedgerError) -> Self {
    Self(kind: .localTesting, session: try TestSession(session).text)
  }

  /// The environment's name, such as `sandbox`.
  public var description: String {
    switch kind {
    case .production: "production"
    case .sandbox: "sandbox"
    case .xcode: "xcode"
    case .localTesting: "local_testing"
    }
  }

  /// Byte by byte.
  public static func == (left: Self, right: Self) -> Bool {
    left.kind == right.kind && (left.session ?? "").hasBytes(of: right.session ?? "")
  }

  /// Over the bytes.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    var session = session ?? ""
    session.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }

  private typealias TestSession = Identifier<TestSessionKind>
}

/// The kind of a test session's name.
package enum TestSessionKind: IdentifierKind {
  package static let word = "test session"
  package static let byteCountMax = 255
}
