#if Server
package import GemLedger
internal import SystemCrypto
package import SystemHTTP

/// Finds keys by their ids.
package protocol KeyDirectory: Sendable {
  /// Returns the key, also if it is revoked; a directory with a cache may lack new keys.
  func key(id: String) throws(LedgerError) -> APIKey?

  /// Looks up a key that ``key(id:)`` does not find, without any cache.
  func newKey(id: String) throws(LedgerError) -> APIKey?

  /// Returns the key as it is stored now, without any cache.
  func storedKey(id: String) throws(LedgerError) -> APIKey?
}

extension KeyDirectory {
  package func newKey(id: String) throws(LedgerError) -> APIKey? { try key(id: id) }
  package func storedKey(id: String) throws(LedgerError) -> APIKey? { try key(id: id) }
}

/// A project with the keys that give access to it.
package struct GuardedProject: Sendable {
  package let project: ServerProject
  package let keys: any KeyDirectory

  package init(_ project: ServerProject, keys: any KeyDirectory) {
    self.project = project
    self.keys = keys
  }
}

/// Identifies the caller and the project of a request, and checks the access.
package final class Gatekeeper: AccessCheck {
  package let projects: [GuardedProject]
  package let clock: LedgerClock

  package init(_ projects: [GuardedProject], clock: LedgerClock) {
    self.projects = projects
    self.clock = clock
  }

  /// Admits a request to an operation.
  ///
  /// - Parameter projectID: The project in the path; nil if the key determines it.
  /// - Throws: `LedgerError` with `unauthenticated`, then `forbidden`.
  package func admit(
    _ request: HTTPRequest, to access: Access, projectID: String?
  ) throws(LedgerError) -> (project: ServerProject, caller: Caller) {
    if access == .open { return (try openProject(projectID), Caller(.anybody)) }
    let (guarded, caller) = try identify(request)
    if let projectID, !guarded.project.id.hasBytes(of: projectID) {
      throw LedgerError(.forbidden, "This key belongs to another project.")
    }
    try Self.check(caller, for: access)
    return (guarded.project, caller)
  }

  /// Returns whether ``admit(_:to:projectID:)`` admits the request now; true if the storage does not answer.
  package func admits(_ request: HTTPRequest, to access: Access, projectID: String?) -> Bool {
    do throws(LedgerError) {
      _ = try admit(request, to: access, projectID: projectID)
      return true
    } catch {
      return error.code != .unauthenticated && error.code != .forbidden
    }
  }

  /// Returns the project of an operation without a key: the project in the path, or else the first.
  private func openProject(_ id: String?) throws(LedgerError) -> ServerProject {
    guard let found = projects.first(where: { id?.hasBytes(of: $0.project.id) ?? true }) else {
      throw .parameter("project_id", "names no project of this server")
    }
    return found.project
  }

  private func identify(_ request: HTTPRequest) throws(LedgerError) -> (GuardedProject, Caller) {
    guard let field = request.headers["Authorization"] else {
      throw LedgerError(.unauthenticated, "Send a key as \"Authorization: Bearer KEY\".")
    }
    let bytes = Array(field.utf8)
    if let proof = request.proofs?.first(where: { Crypto.areEqual($0.field, bytes) }) {
      // Only the id and the digest are known; the key is looked up again, since it may have been revoked.
      let (guarded, key) = try Self.valid(try find(proof.keyID) { Crypto.areEqual($0.digest, proof.digest) })
      return (guarded, Caller(key.callerKind, keyID: key.id))
    }
    let text = Self.withoutScheme(field)
    if text.hasPrefix(SessionTokens.prefix) { return try session(text) }
    let (guarded, key) = try key(text)
    request.proofs?.add(ConnectionProofs.Proof(field: bytes, keyID: key.id, digest: key.digest))
    return (guarded, Caller(key.callerKind, keyID: key.id))
  }

  /// Returns the key of a text, with its project.
  ///
  /// - Throws: `LedgerError` with `unauthenticated` for an unknown or revoked key.
  package func key(_ text: String) throws(LedgerError) -> (GuardedProject, APIKey) {
    try Self.valid(try APIKey.id(in: text).flatMap { (id) throws(LedgerError) in try find(id) { $0.isText(text) } })
  }

  /// Returns a found key, unless it was revoked.
  private static func valid(_ found: (GuardedProject, APIKey)?) throws(LedgerError) -> (GuardedProject, APIKey) {
    guard let (guarded, key) = found else { throw LedgerError(.unauthenticated, "This key is not known here.") }
    guard key.revokedAt == nil else { throw LedgerError(.unauthenticated, "This key was revoked.") }
    return (guarded, key)
  }

  /// Returns the key and its project; skips a project with unreadable keys.
  ///
  /// - Parameter isSame: Whether the secret part of the sent key is that of a key with the id.
  private func find(
    _ id: String, _ isSame: (APIKey) -> Bool
  ) throws(LedgerError) -> (GuardedProject, APIKey)? {
    var failure: LedgerError?
    // Ask the storages only for a key that is in no project's cache.
    for isNew in [false, true] {
      for guarded in projects {
        do throws(LedgerError) {
          let key = try isNew ? guarded.keys.newKey(id: id) : guarded.keys.key(id: id)
          if let key, isSame(key) { return (guarded, key) }
        } catch {
          failure = failure ?? error
        }
      }
    }
    if let failure { throw failure }
    return nil
  }

  private static func withoutScheme(_ field: String) -> String {
    let scheme = "bearer "
    let start = field.utf8.prefix(scheme.utf8.count)
    // In ASCII a lower-case letter has one bit more than the capital.
    guard start.count == scheme.utf8.count, zip(start, scheme.utf8).allSatisfy({ $0 | 0x20 == $1 }) else {
      return field
    }
    return String(field[start.endIndex...])
  }

  private func session(_ token: String) throws(LedgerError) -> (GuardedProject, Caller) {
    for guarded in projects {
      guard let session = try guarded.project.customer(ofSession: token) else { continue }
      return (guarded, Caller(.session(session), keyID: "session"))
    }
    throw LedgerError(.unauthenticated, "This session token is not of this server.")
  }

  private static func check(_ caller: Caller, for access: Access) throws(LedgerError) {
    switch (access, caller.kind) {
    case (.open, _), (.app, .secret), (.app, .app), (.app, .session), (.session, .session): return
    case (.secret(let scope), .secret(let scopes)):
      guard scopes.allow(scope) else {
        throw LedgerError(.forbidden, "This key lacks the scope \(scope).", details: [.text("scope", "\(scope)")])
      }
    case (.secret, _): throw LedgerError(.forbidden, "This needs a secret key, from a server of yours.")
    case (.app, _): throw LedgerError(.forbidden, "This needs a key of the project.")
    case (.session, _):
      throw LedgerError(
        .forbidden, "This needs a session token of the customer; your server gets one with its secret key.")
    }
  }
}

extension APIKey {
  fileprivate var callerKind: Caller.Kind {
    switch kind {
    case .secret(let scopes): .secret(scopes: scopes)
    case .app(let store): .app(store)
    }
  }
}
#endif
