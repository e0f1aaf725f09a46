#if Server
internal import GemLedger
internal import GemServer

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A signed-in browser.
struct ConsoleSession: Sendable {
  let guarded: GuardedProject
  let keyID: String
  /// The permissions of the key; none for all.
  let scopes: [Scope]
  /// A text that every form carries, and that other sites cannot know.
  let formToken: String
  let startedAt: Timestamp
  var lastUsedAt: Timestamp
  /// The reader's time zone; nil until the browser has named it.
  var zone: TimeZone?

  var project: ServerProject { guarded.project }

  /// Returns whether the key has the permission.
  func allows(_ scope: Scope) -> Bool { scopes.allow(scope) }

  /// Whether the key has all permissions.
  var mayDoAll: Bool { scopes.isEmpty }

  func allows(oneOf scopes: [Scope]) -> Bool { scopes.contains(where: allows) }

  /// - Throws: `LedgerError` with `forbidden`.
  func check(_ scope: Scope) throws(LedgerError) {
    guard allows(scope) else {
      throw LedgerError(
        .forbidden, "The key of this session lacks the scope \(scope). Sign in with a key that has it.",
        details: [.text("scope", "\(scope)")])
    }
  }

  /// The key as the journal's actor, as in the API.
  var actor: ActorName {
    get throws(LedgerError) { try ActorName("key:\(keyID)") }
  }
}
#endif
