#if Server
package import GemLedger
package import SystemHTTP

/// Answers requests by the routes: finds and checks the operation, does the work, and writes errors in the API's style.
package final class APIHandler: HTTPHandler {
  private let router: Router
  private let gatekeeper: Gatekeeper
  private let limiter: RateLimiter
  private let clock: LedgerClock
  private let onFinish: @Sendable (HTTPSummary) -> Void
  /// Receives errors with details that callers must not see.
  private let onError: @Sendable (LedgerError, _ requestID: String) -> Void
  /// Receives refusals that indicate a mistake in the caller's program.
  private let onWarning: @Sendable (LedgerError, _ requestID: String) -> Void

  package init(
    routes: [Route], gatekeeper: Gatekeeper, limiter: RateLimiter, clock: LedgerClock,
    onFinish: @escaping @Sendable (HTTPSummary) -> Void = { _ in },
    onError: @escaping @Sendable (LedgerError, _ requestID: String) -> Void = { _, _ in },
    onWarning: @escaping @Sendable (LedgerError, _ requestID: String) -> Void = { _, _ in }
  ) {
    router = Router(routes)
    self.gatekeeper = gatekeeper
    self.limiter = limiter
    self.clock = clock
    self.onFinish = onFinish
    self.onError = onError
    self.onWarning = onWarning
  }

  package func finished(_ summary: HTTPSummary) { onFinish(summary) }

  package func answer(_ request: HTTPRequest) -> HTTPAnswer {
    switch begin(request) {
    case .refused(let response): .now(response)
    case .accepted(_, let begin): begin(request)
    }
  }

  package func begin(_ head: HTTPRequest) -> HTTPBeginning {
    switch router.find(head.method, head.path) {
    case .noSuchPath:
      return .refused(refusal(status: 404, reason: "There is nothing at this path.", requestID: head.id))
    case .otherMethods(let methods):
      var response = refusal(status: 405, reason: "This path does not take \(head.method).", requestID: head.id)
      response.headers.append(("Allow", methods.joined(separator: ", ")))
      return .refused(response)
    case .found(let match):
      var usage: RateLimiter.Usage?
      do throws(LedgerError) {
        let admission = try admission(of: head, match, usage: &usage)
        return .accepted(from: match.route.access == .open ? .unknown : .known) { [self] request in
          answer(request, match, admission)
        }
      } catch {
        return .refused(finish(refusal(error, match.route, head), match, head, usage))
      }
    }
  }

  private func answer(_ request: HTTPRequest, _ match: Router.Match, _ admission: Admission) -> HTTPAnswer {
    let usage = admission.usage
    do throws(LedgerError) {
      let call = Call(
        request: request, project: admission.project, caller: admission.caller, names: match.names,
        body: try Self.body(of: request, match), query: admission.query, accessCheck: gatekeeper,
        access: match.route.access)
      switch match.route.work {
      case .now(let work): return .now(finish(try work(call), match, request, usage))
      case .later(let work):
        return .later { [self] in
          do throws(LedgerError) {
            return finish(try await work(call), match, request, usage)
          } catch {
            return finish(response(error, match.route, request), match, request, usage)
          }
        }
      }
    } catch {
      return .now(finish(response(error, match.route, request), match, request, usage))
    }
  }

  /// The facts about a request that its head determines.
  private struct Admission {
    let project: ServerProject
    let caller: Caller
    let query: [String: JSONValue]
    let usage: RateLimiter.Usage?
  }

  /// Checks the head in the order that ``Router`` states.
  private func admission(
    of request: HTTPRequest, _ match: Router.Match, usage: inout RateLimiter.Usage?
  ) throws(LedgerError) -> Admission {
    let (project, caller) = try gatekeeper.admit(
      request, to: match.route.access, projectID: match.names["project_id"])
    usage = match.route.rate.flatMap { limiter.count(caller.keyID, $0, at: clock.now()) }
    if let usage, usage.isOver {
      throw LedgerError(
        .rateLimited, "This key has made its \(usage.limit) requests of this minute.",
        details: [.integer("retry_after", usage.secondsLeft)])
    }
    let query = try Self.query(of: request, match)
    for parameter in match.route.headers {
      guard let text = try Self.header(parameter, of: request) else { continue }
      _ = try parameter.schema.value(ofParameter: text, parameter.name)
    }
    return Admission(project: project, caller: caller, query: query, usage: usage)
  }

  private static func query(
    of request: HTTPRequest, _ match: Router.Match
  ) throws(LedgerError) -> [String: JSONValue] {
    // Most requests have no query, and most routes need none.
    if request.query.isEmpty, !match.hasRequiredQuery { return [:] }
    let route = match.route
    guard !route.takesAnyQuery else { return [:] }
    var values: [String: JSONValue] = [:]
    for (name, text) in request.query {
      guard let parameter = route.query.first(where: { $0.name.hasBytes(of: name) }) else {
        if route.takesUnknown, route.style == .sdk { continue }
        throw .unknownName(name, "query parameter", among: route.query.map(\.name))
      }
      let value = try parameter.schema.value(ofParameter: text, name)
      if parameter.isRepeatable {
        values[name] = .array((values[name]?.array ?? []) + [value])
        continue
      }
      guard values[name] == nil else { throw .parameter(name, "occurs twice") }
      values[name] = value
    }
    for parameter in route.query where parameter.isRequired && values[parameter.name] == nil {
      throw .parameter(parameter.name, "is missing")
    }
    return values
  }

  private static func header(_ parameter: Parameter, of request: HTTPRequest) throws(LedgerError) -> String? {
    let values = request.headers.values(of: parameter.name)
    guard values.count <= 1 else { throw .parameter(parameter.name, "occurs twice") }
    if values.isEmpty, parameter.isRequired { throw .parameter(parameter.name, "is missing") }
    return parameter.name == Call.keyField ? values.first.map(Call.key) : values.first
  }

  private static func body(of request: HTTPRequest, _ match: Router.Match) throws(LedgerError) -> JSONObject {
    guard let schema = match.route.body else {
      guard request.body.isEmpty || isEmptyObject(request.body) else {
        throw .parameter("", "has to be empty here")
      }
      return JSONObject()
    }
    // Nothing is required, so the body may be empty.
    if request.body.isEmpty, schema.takesNothing { return JSONObject() }
    let type = request.headers["Content-Type"]?.split(separator: ";").first?.lowercased() ?? ""
    guard type.filter({ $0 != " " }) == "application/json" else {
      throw LedgerError(.invalidRequest, "Send the body as JSON, with \"Content-Type: application/json\".")
    }
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue.parse(request.body)
    } catch {
      throw LedgerError(.invalidRequest, "The body is no JSON that is taken here: \(error.message)")
    }
    try schema.check(value, takesUnknown: match.route.takesUnknown)
    return value.object ?? ["": value]
  }

  private static func isEmptyObject(_ body: [UInt8]) -> Bool {
    String(decoding: body, as: UTF8.self).filter { !$0.isWhitespace } == "{}"
  }

  // MARK: Answers

  private func response(_ error: LedgerError, _ route: Route, _ request: HTTPRequest) -> HTTPResponse {
    if error.code.kind.row.httpStatus >= 500 { onError(error, request.id) }
    if error.isInverseConflict { onWarning(error, request.id) }
    // A purchase has separate statuses and numbers, which determine the behavior of its SDKs.
    guard route.takesPurchase, route.style == .sdk else { return route.style.response(error, requestID: request.id) }
    return route.style.response(
      error, requestID: request.id, status: error.statusOfPurchase,
      number: error.numberOfPurchase(onPlatform: request.headers["X-Platform"]))
  }

  /// Returns the answer to an invalid head.
  private func refusal(_ error: LedgerError, _ route: Route, _ head: HTTPRequest) -> HTTPResponse {
    guard route.takesPurchase, error.code.kind.row.httpStatus < 500 else { return response(error, route, head) }
    var details = error.details
    if error.integer("retry_after") == nil { details.append(.integer("retry_after", Self.purchaseRetrySeconds)) }
    let held = LedgerError(error.code, error.message, details: details)
    return route.style.response(held, requestID: head.id, status: 503)
  }

  /// The retry pause for a purchase with a refused head, in seconds.
  private static let purchaseRetrySeconds: Int64 = 60

  private func finish(
    _ response: consuming HTTPResponse, _ match: Router.Match, _ request: HTTPRequest, _ usage: RateLimiter.Usage?
  ) -> HTTPResponse {
    response.label = match.route.name
    response.headers.reserveCapacity(response.headers.count + 4)
    response.headers.append(("X-Request-Id", request.id))
    response.headers.append(("Cache-Control", "no-store"))
    if let usage {
      response.headers.append(("RevenueCat-Rate-Limit-Current-Usage", String(usage.count)))
      response.headers.append(("RevenueCat-Rate-Limit-Current-Limit", String(usage.limit)))
    }
    return response
  }

  /// Writes the answer to a request with a refused body.
  package func refusal(status: Int, reason: String, of head: HTTPRequest) -> HTTPResponse {
    var status = status
    if case .found(let match) = router.find(head.method, head.path), match.route.takesPurchase { status = 503 }
    var response = refusal(status: status, reason: reason, requestID: head.id)
    if status == 503 { response.headers.append(("Retry-After", String(Self.purchaseRetrySeconds))) }
    return response
  }

  /// Writes the answer to a request without an operation.
  package func refusal(status: Int, reason: String, requestID: String) -> HTTPResponse {
    let type = status == 404 ? "resource_missing" : status >= 500 ? "server_error" : "invalid_request"
    let body: JSONValue = [
      "object": "error", "type": .string(type), "message": .string(reason), "retryable": false, "param": nil,
      "doc_url": .string(ErrorPages.url(of: type)),
      "request_id": .string(requestID),
    ]
    var response = HTTPResponse.json(status, body)
    response.headers.append(("X-Request-Id", requestID))
    return response
  }
}
#endif
