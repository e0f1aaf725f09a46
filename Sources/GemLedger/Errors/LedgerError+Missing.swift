extension LedgerError {
  /// Deciding lacks rows that the storage has not loaded.
  ///
  /// It is no answer: the storage loads the rows, and the group is decided again from its start. No caller sees it, and
  /// no rule catches it to continue without the rows.
  package static let rowsMissing = LedgerError(.unexpected, "Rows are missing that are not loaded yet.")
}
