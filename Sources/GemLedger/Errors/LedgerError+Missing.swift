extension LedgerError {
  /// Deciding lacks rows that the storage has not loaded.
  ///
  /// The storage then loads the rows, and the group is decided again from its start. Callers never see this error, and
  /// no rule catches it to continue without the rows.
  package static let rowsMissing = LedgerError(.unexpected, "Rows are missing that are not loaded yet.")
}
