internal import GemLedger

/// The stored form of an unlimited expiry: the last millisecond of the year 9999, which takes six bytes.
enum StoredExpiry {
  static let never = Limits.expiryMilliseconds

  static func stored(_ expiresAt: Int64) -> Int64 { min(expiresAt, never) }
  static func loaded(_ expiresAt: Int64) -> Int64 { expiresAt >= never ? .max : expiresAt }
}
