#if Server
/// Operations that RevenueCat's API lacks: history, reversals, holds, transfers, events, verification, the catalog.
enum LedgerRoutes {
  static var all: [Route] {
    HistoryRoutes.all + HoldRoutes.all + MoveRoutes.all + [AccountRoute.get] + EventRoutes.all + BookRoutes.all
      + CatalogRoutes.all
  }

  /// The base path of all operations of a project.
  static let project = "/v2/projects/{project_id}"
  static let customer = project + "/customers/{customer_id}"
}
#endif
