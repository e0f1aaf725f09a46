extension LedgerError {
  private static let missingPart = "missing_part"

  /// Returns the error of a partial commit.
  ///
  /// - Parameters:
  ///   - storage: The storage, for people.
  ///   - part: The missing part, or the part that exists without the rest.
  package static func halfCommit(_ storage: String, _ part: String) -> LedgerError {
    LedgerError(
      .storageDamaged,
      "\(storage): only a part of a commit was done: \(part). Do not ask again before this is repaired: run gemctl "
        + "storage repair, and then gemctl verify.",
      details: [.text("storage", storage), .text(missingPart, part)])
  }

  /// Whether a part of the group was booked, so that nothing of the group may be tried again.
  package var isOfHalfCommit: Bool { code == .storageDamaged && text(Self.missingPart) != nil }
}
