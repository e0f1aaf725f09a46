#if Server
internal import GemLedger
internal import GemServer
internal import Synchronization
internal import SystemCrypto

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The sessions of one server, in memory: a restart of the server ends them.
final class ConsoleSessions: Sendable {
  /// The maximum number of sessions; a new one then ends the one that was used the longest time ago.
  private static let countMax = 1000
  /// The same of one key, so that nobody ends the sessions of others.
  private static let ofOneKeyCountMax = 50

  private let settings: ConsoleSettings
  /// By the digest of the cookie's token.
  private let sessions = Mutex<[[UInt8]: ConsoleSession]>([:])

  init(_ settings: ConsoleSettings) { self.settings = settings }

  /// Starts a session for a secret key.
  ///
  /// - Returns: The token for the browser's cookie; it is not stored.
  /// - Throws: `LedgerError` with `forbidden` for a public key.
  func start(_ guarded: GuardedProject, _ key: APIKey, at now: Timestamp) throws(LedgerError) -> String {
    guard case .secret(let scopes) = key.kind else {
      throw LedgerError(
        .forbidden,
        "This is the public key of an app. Sign in with a secret key: \"gemctl key create --secret\" makes one.")
    }
    let token = Self.randomText()
    let session = ConsoleSession(
      guarded: guarded, keyID: key.id, scopes: scopes, formToken: Self.randomText(), startedAt: now, lastUsedAt: now)
    sessions.withLock { sessions in
      sessions = sessions.filter { !isOver($0.value, at: now) }
      let own = sessions.filter { $0.value.keyID == key.id && $0.value.project.id == guarded.project.id }
      for (some, limit) in [(own, Self.ofOneKeyCountMax), (sessions, Self.countMax)] where some.count >= limit {
        if let oldest = some.min(by: { $0.value.lastUsedAt < $1.value.lastUsedAt }) { sessions[oldest.key] = nil }
      }
      sessions[TextDigest.sha256(of: token)] = session
    }
    return token
  }

  /// Returns the session of a token; nil if it has ended, or its key was revoked.
  ///
  /// The key is read with every request, so that a revocation ends the session at once.
  ///
  /// - Parameter isUse: Whether its idle time begins anew.
  func session(_ token: String, at now: Timestamp, _ isUse: Bool) throws(LedgerError) -> ConsoleSession? {
    let digest = TextDigest.sha256(of: token)
    let found = sessions.withLock { sessions -> ConsoleSession? in
      guard let session = sessions[digest] else { return nil }
      guard !isOver(session, at: now) else {
        sessions[digest] = nil
        return nil
      }
      if isUse { sessions[digest]?.lastUsedAt = now }
      return session
    }
    guard let found else { return nil }
    guard let key = try found.guarded.keys.storedKey(id: found.keyID), key.revokedAt == nil else {
      end(token)
      return nil
    }
    return found
  }

  /// Sets the reader's time zone; an unknown one, nil, leaves the earlier zone, or UTC.
  func setZone(_ zone: TimeZone?, of token: String) {
    let digest = TextDigest.sha256(of: token)
    sessions.withLock { sessions in
      let earlier = sessions[digest]?.zone
      sessions[digest]?.zone = zone ?? earlier ?? .gmt
    }
  }

  func end(_ token: String) {
    sessions.withLock { _ = $0.removeValue(forKey: TextDigest.sha256(of: token)) }
  }

  private func isOver(_ session: ConsoleSession, at now: Timestamp) -> Bool {
    now.milliseconds(since: session.lastUsedAt) >= settings.idleMilliseconds
      || now.milliseconds(since: session.startedAt) >= settings.absoluteMilliseconds
  }

  /// Returns 256 random bits in hexadecimal digits; the system's generator is unpredictable.
  static func randomText() -> String {
    Hex.text((0..<32).map { _ in UInt8.random(in: 0 ... .max) })
  }
}
#endif
