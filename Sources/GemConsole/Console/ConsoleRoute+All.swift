#if Server
extension ConsoleRoute {
  /// All pages and forms of the console.
  static let all =
    OverviewPage.routes + CustomerPages.routes + CustomerActions.all.flatMap(\.routes) + ReportPages.routes
    + CatalogPages.routes + CatalogActions.all.flatMap(\.routes)
}
#endif
