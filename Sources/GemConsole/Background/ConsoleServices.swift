#if Server
internal import GemServer

/// What the console keeps for a project.
struct ConsoleServices: Sendable {
  let summary: SummaryRefresh
  let reports: ReportRuns
  let sentForms = SentForms()
  /// Long reads of the whole journal besides a proof of the books: seals and exports.
  let longRead = SoleWork()
}
#endif
