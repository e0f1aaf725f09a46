#if Server
extension ConsoleRoute {
  /// All pages and forms of the console.
  static let all =
    pages + (CustomerActions.all + PurchaseActions.all + WebhookActions.all + KeyActions.all).flatMap(\.routes)

  private static let pages =
    OverviewPage.routes + CustomerPages.routes + PurchasePages.routes + WebhookPages.routes + KeyPages.routes
    + BookPages.routes
}
#endif
