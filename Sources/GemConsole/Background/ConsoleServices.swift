#if Server
/// What the console keeps for a project.
struct ConsoleServices: Sendable {
  let summary: SummaryRefresh
  let reports = ReportRuns()
}
#endif
