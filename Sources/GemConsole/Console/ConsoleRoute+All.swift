#if Server
extension ConsoleRoute {
  /// All pages and forms of the console.
  static let all = pages + actions.flatMap(\.routes)

  private static let pages =
    OverviewPage.routes + CustomerPages.routes + CatalogPages.routes + PurchasePages.routes + WebhookPages.routes
    + KeyPages.routes + ReportPages.routes + BookPages.routes

  private static let actions =
    CustomerActions.all + CatalogActions.all + PurchaseActions.all + WebhookActions.all + KeyActions.all
}
#endif
