#if Server
/// Operations that RevenueCat's API lacks: history, reversals, holds, transfers, events, proofs.
enum LedgerRoutes {
  static var all: [Route] {
    HistoryRoutes.all + HoldRoutes.all + MoveRoutes.all + [AccountRoute.get] + EventRoutes.all + BookRoutes.all
  }

  /// The beginning of the paths of all operations of one project.
  static let project = "/v2/projects/{project_id}"
  static let customer = project + "/customers/{customer_id}"
}
#endif
