#if Server
internal import GemLedger
internal import SimulatedStores
internal import StoreBackend
internal import SystemHTTP

/// The simulated store over HTTP: clients in any language can play purchases without an account or a device.
package struct SimulatorRoutes: Sendable {
  let simulator: Simulator
  /// Google's servers; nil if the store is no Google Play.
  let google: SimulatedGoogle?

  init(_ simulator: Simulator, google: SimulatedGoogle? = nil) { (self.simulator, self.google) = (simulator, google) }

  package var all: [Route] { [state] + purchases + actions + faults + clock + apiFaults + appStore + googleControls }

  private var state: Route {
    route("GET", "", "get_simulator", "Returns the state of the simulated store.", answer: SimulatorSchemas.state) {
      simulator, _ in
      let shop = simulator.shop
      let transactions = shop.transactions()
      return .json(
        200,
        [
          "object": "simulator", "store": .string(shop.store.description),
          "environment": .string(shop.controls.environment.description),
          "session": JSONValue(shop.controls.environment.session),
          "storefront": .string(shop.storefront.description), "locale": .string(shop.controls.locale),
          "clock": .object(SimulatorDocument.clock(simulator)), "faults": .integer(Int64(shop.faults.count)),
          "purchases": .integer(Int64(transactions.count)),
          "pending": .integer(Int64(transactions.count(where: \.isPending))),
          "unfinished": .integer(Int64(transactions.count { $0.isPaid && !$0.isFinished })),
          "refunded": .integer(Int64(transactions.count { $0.transaction.revocation != nil })),
          "waiting_notices": .integer(Int64(shop.pendingNotices().count)),
        ])
    }
  }

  /// An operation under `/simulator`, for any key of the simulator's project.
  func route(
    _ method: String, _ path: String, _ name: String, _ summary: String, query: [Parameter] = [], body: Schema? = nil,
    answer: Schema,
    work: @escaping @Sendable (Simulator, Call) async throws(LedgerError) -> HTTPResponse
  ) -> Route {
    let simulator = simulator
    return Route(
      method: method, path: "/simulator" + path, name: name, summary: summary, access: .app, query: query, body: body,
      answers: [200: answer],
      work: .later { (call) async throws(LedgerError) in
        guard call.project === simulator.project else {
          throw LedgerError(.forbidden, "The simulated store is another project's.")
        }
        if case .session = call.caller.kind {
          throw LedgerError(.forbidden, "A customer has no part in the simulated store: this needs a key.")
        }
        return try await work(simulator, call)
      })
  }
}
#endif
