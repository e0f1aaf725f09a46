#if PostgreSQL
internal import GemLedger

extension JournalEventRow {
  static let byTarget = RowsByNumber(
    isWanted: "target = wanted AND target <> 0", isAny: "target = ANY($2) AND target <> 0")
}
#endif
