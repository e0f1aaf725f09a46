#if Server
internal import GemLedger
internal import SystemHTTP

/// The routes for operators and their tools.
struct OperationRoutes: Sendable {
  let metrics: Metrics
  let projects: [ServerProject]
  let state: ServerState
  private let writeProbes: [WriteProbe]

  /// - Parameter onFailure: Receives the reason for which a storage refuses writes.
  init(
    metrics: Metrics, projects: [ServerProject], state: ServerState,
    onFailure: @escaping @Sendable (LedgerError) -> Void
  ) {
    (self.metrics, self.projects, self.state) = (metrics, projects, state)
    writeProbes = projects.map { WriteProbe($0, onFailure: onFailure) }
  }

  func all(describing routes: [Route]) -> [Route] {
    let status = Schema.object([
      Schema.Field("status", .text(), isRequired: true), Schema.Field("message", .text()),
    ])
    let own = [
      route("/healthz", "healthz", "Whether the server runs.", status) { _ in .json(200, ["status": "ok"]) },
      route(
        "/readyz", "readyz", "Whether the server can do work: its storages take writes.", status,
        .later { _ in await ready() }),
      route("/metrics", "metrics", "Figures in Prometheus' text format.", .text(), as: "text/plain") { _ in
        HTTPResponse(
          status: 200, headers: [("Content-Type", "text/plain; version=0.0.4")],
          content: .bytes(Array(metrics.text.utf8)))
      },
    ]
    let document = OpenAPIDocument(routes + own, projectIDs: projects.map(\.id)).json.text()
    return own + [
      route("/openapi.json", "openapi", "This description.", .anything) { _ in .json(200, document) }
    ]
  }

  private func ready() async -> HTTPResponse {
    guard !state.isStopping else { return .json(503, ["status": "stopping"]) }
    for probe in writeProbes where await !probe.succeeds() {
      return .json(
        503, ["status": "unavailable", "message": "A storage does not take writes; the log has the reason."])
    }
    return .json(200, ["status": "ready"])
  }

  private func route(
    _ path: String, _ name: String, _ summary: String, _ answer: Schema, as mediaType: String = "application/json",
    _ work: @escaping @Sendable (Call) throws(LedgerError) -> HTTPResponse
  ) -> Route { route(path, name, summary, answer, as: mediaType, .now(work)) }

  private func route(
    _ path: String, _ name: String, _ summary: String, _ answer: Schema, as mediaType: String = "application/json",
    _ work: Route.Work
  ) -> Route {
    Route(
      method: "GET", path: path, name: name, summary: summary, access: .open, answers: [200: answer],
      mediaType: mediaType, work: work)
  }
}
#endif
