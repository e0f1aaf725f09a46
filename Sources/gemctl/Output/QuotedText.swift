import LedgerCharts

extension String {
  /// The text in quotation marks for a message: safe for terminals and of limited length.
  var quotedForPeople: String {
    let shown = count > 60 ? "\(prefix(59))…" : self
    return "\"\(SafeText.escaped(shown))\""
  }
}
