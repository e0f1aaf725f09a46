/// The causes of a freeze: a person (1), refunds (2 each), or several of them; pure.
package enum FreezeRules {
  package static let refundReason = Reason(unchecked: "A refunded purchase was spent already.")

  package static func frozen(_ frozen: Int64, byPerson isFrozen: Bool) -> Int64 { isFrozen ? frozen | 1 : 0 }

  /// A person may have lifted it meanwhile, so that there may be nothing to take back.
  package static func frozen(_ frozen: Int64, byRefunds change: Int64) -> Int64 {
    max(frozen + 2 * change, frozen & 1)
  }

  /// Merges the freezes of two customers.
  package static func frozen(_ one: Int64, and other: Int64) -> Int64 {
    (one | other) & 1 + (one & ~1) + (other & ~1)
  }
}
