#if Server
internal import GemLedger
package import GemServer
package import SystemHTTP

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The console: pages for support, operators and economy designers, on the server's own books.
///
/// It has no rule of its own: it reads and changes the books by the commands of the API, as the key that signed in.
package final class Console: Sendable {
  private let settings: ConsoleSettings
  private let gatekeeper: Gatekeeper
  private let sessions: ConsoleSessions
  private let limiter: SignInLimiter
  private let clock: LedgerClock
  private let log: ServerLog
  private let routes = ConsoleRoute.all
  /// By the projects' ids.
  private let services: [String: ConsoleServices]

  /// - Parameter projects: The projects of the server; a key determines which of them its session shows.
  package init(_ settings: ConsoleSettings, projects: [ServerProject], log: ServerLog) {
    self.settings = settings
    clock = projects.first?.clock ?? .system
    gatekeeper = Gatekeeper(
      projects.map { GuardedProject($0, keys: KeyRing($0.ledger, clock: $0.clock)) }, clock: clock)
    sessions = ConsoleSessions(settings)
    limiter = SignInLimiter(perMinute: settings.attemptsPerMinute)
    self.log = log
    services = Dictionary(
      projects.map { ($0.id, ConsoleServices(summary: SummaryRefresh($0, log), reports: ReportRuns($0.clock))) },
      uniquingKeysWith: { first, _ in first })
  }

  /// The console as a part of a server.
  package var area: HTTPArea {
    HTTPArea(contains: { $0.first == ConsolePath.root }, begin: { [self] head in begin(head) })
  }

  /// Checks what the head shows; bodies of strangers are small.
  private func begin(_ head: HTTPRequest) -> HTTPBeginning {
    do throws(LedgerError) {
      let origin = try RequestOrigin(head, settings)
      if let asset = ConsoleAssets.all[head.path.dropFirst().joined(separator: "/")] {
        return .accepted(from: .unknown) { _ in .now(asset.response(to: head)) }
      }
      let isPost = head.method == "POST"
      guard isPost || head.method == "GET" || head.method == "HEAD" else {
        return .refused(HTTPResponse(status: 405, headers: [("Allow", "GET, POST")]))
      }
      if isPost { try origin.checkSender(of: head) }
      let now = clock.now()
      let token = cookie(of: head)
      // A page that reloads itself is no sign of a person.
      let isUse = head.headers["X-Console-Live"] == nil
      let session = try token.flatMap { (token) throws(LedgerError) in try sessions.session(token, at: now, isUse) }
      return .accepted(from: session == nil ? .unknown : .known) { [self] request in
        .later { [self] in await answer(request, origin, token) }
      }
    } catch {
      return .refused(plain(error, head))
    }
  }

  private func answer(
    _ request: HTTPRequest, _ origin: RequestOrigin, _ token: String?
  ) async -> HTTPResponse {
    let path = request.path.dropFirst().map(ConsolePath.part)
    let now = clock.now()
    var visit: Visit?
    do throws(LedgerError) {
      // Read again: the key may have been revoked while the body was sent.
      let session = try token.flatMap { (token) throws(LedgerError) in try sessions.session(token, at: now, false) }
      let reader = Reader(languages: request.headers["Accept-Language"], zone: session?.zone, now: now)
      let form = request.method == "POST" ? try FormValues(body: request.body) : FormValues()
      if path == ["sign-in"] { return try signIn(request, form, origin) }
      guard let session, let token, let services = services[session.project.id] else {
        return signInPage(
          request,
          next: request.method == "POST"
            ? ConsolePath() : ConsolePath(parts: path, query: request.query.map { ($0.name, $0.value) }))
      }
      let found = ConsoleRoute.find(path.last == "" ? path.dropLast() : path, in: routes)
      let visiting = Visit(
        session: session, reader: reader, names: found.first?.names ?? [:], query: FormValues(request.query),
        form: form, path: ConsolePath(parts: path), log: log, services: services, pathParts: path)
      visit = visiting
      if request.method == "POST" {
        guard let sent = form["form_token"], sent.hasBytes(of: session.formToken) else {
          throw LedgerError(.forbidden, "This form is of an earlier session. Open its page again, and repeat it.")
        }
        if path == ["sign-out"] { return signOut(token, origin) }
        if path == ["zone"] { return setZone(form, token) }
      }
      return finish(try await reply(to: visiting, request, found), visiting, request)
    } catch {
      if error.code.kind.row.httpStatus >= 500 { log.error(error, requestID: request.id) }
      guard let visit else { return plain(error, request) }
      return finish(
        .page(ConsolePage("This did not work", .p(.link("Back to the overview", to: ConsolePath())), error: error)),
        visit, request)
    }
  }

  private func reply(
    to visit: Visit, _ request: HTTPRequest, _ found: [(route: ConsoleRoute, names: [String: String])]
  ) async throws(LedgerError) -> Reply {
    let method = request.method == "HEAD" ? "GET" : request.method
    guard let route = found.first(where: { $0.route.method == method })?.route else {
      throw LedgerError(.invalidRequest, "There is no such page.")
    }
    for scope in route.scopes { try visit.session.check(scope) }
    switch route.work {
    case .blocking(let work):
      return try await BlockingWork.run { () throws(LedgerError) in try work(visit) }
    case .suspending(let work): return try await work(visit)
    }
  }

  // MARK: Sessions

  private var cookieName: String { settings.hasTLS || !settings.trustedProxies.isEmpty ? "__Host-gem" : "gem_console" }

  private func cookie(of request: HTTPRequest) -> String? {
    let cookies = request.headers.values(of: "Cookie").flatMap { $0.split(separator: ";") }
    let prefix = cookieName + "="
    let found = cookies.map { $0.drop { $0 == " " } }.filter { $0.hasPrefix(prefix) }
    return found.count == 1 ? String(found[0].dropFirst(prefix.count)) : nil
  }

  private func setCookie(_ token: String?, _ origin: RequestOrigin) -> (name: String, value: String) {
    let age = token == nil ? 0 : settings.absoluteMilliseconds / 1000
    let secure = cookieName.hasPrefix("__Host-") ? "; Secure" : ""
    return ("Set-Cookie", "\(cookieName)=\(token ?? ""); Path=/; Max-Age=\(age); HttpOnly; SameSite=Strict\(secure)")
  }

  private func signIn(
    _ request: HTTPRequest, _ form: FormValues, _ origin: RequestOrigin
  ) throws(LedgerError) -> HTTPResponse {
    guard request.method == "POST" else { return signInPage(request, next: ConsolePath()) }
    let now = clock.now()
    let next = ConsolePath(carried: form["next"])
    do throws(LedgerError) {
      try limiter.begin(origin.client, at: now)
      let (guarded, key) = try gatekeeper.key(form["key"] ?? "")
      let token = try sessions.start(guarded, key, at: now)
      limiter.succeed(origin.client, at: now)
      if let earlier = cookie(of: request) { sessions.end(earlier) }
      log.event(.info, "A session of the console began.", ["key": .string(key.id), "client": .string(origin.client)])
      var response = Self.redirect(to: next)
      response.headers.append(setCookie(token, origin))
      return response
    } catch {
      log.event(
        .warning, "A sign-in to the console was refused.",
        ["client": .string(origin.client), "code": .string("\(error.code)")])
      return signInPage(request, next: next, error: error)
    }
  }

  private func signInPage(_ request: HTTPRequest, next: ConsolePath, error: LedgerError? = nil) -> HTTPResponse {
    let page = SignInPage(next: next, error: error).html
    let status = request.path.dropFirst().elementsEqual(["sign-in"]) ? 200 : 401
    var response = Self.html(page, status: error?.code.kind.row.httpStatus ?? status)
    if let seconds = error?.integer("retry_after") { response.headers.append(("Retry-After", String(seconds))) }
    return HTTPResponse.guarded(response, label: "console_sign_in", request)
  }

  private func signOut(_ token: String, _ origin: RequestOrigin) -> HTTPResponse {
    sessions.end(token)
    var response = Self.redirect(to: ConsolePath("sign-in"))
    response.headers.append(setCookie(nil, origin))
    return response
  }

  private func setZone(_ form: FormValues, _ token: String) -> HTTPResponse {
    sessions.setZone(form["zone"].flatMap { TimeZone(identifier: $0) }, of: token)
    return Self.redirect(to: ConsolePath(carried: form["back"]))
  }

  // MARK: Responses

  private func finish(_ reply: Reply, _ visit: Visit, _ request: HTTPRequest) -> HTTPResponse {
    let response: HTTPResponse
    switch reply {
    case .page(let page):
      response = Self.html(
        PageFrame(page: page, visit: visit).html, status: page.error?.code.kind.row.httpStatus ?? 200)
    case .seeOther(let path): response = Self.redirect(to: path)
    case .file(let name, let type, let bytes):
      var headers = [(name: "Content-Type", value: type)]
      if let name { headers.append(("Content-Disposition", "attachment; filename=\"\(name)\"")) }
      response = HTTPResponse(status: 200, headers: headers, content: .bytes(bytes))
    case .stream(let name, let type, let stream):
      response = HTTPResponse(
        status: 200,
        headers: [("Content-Type", type), ("Content-Disposition", "attachment; filename=\"\(name)\"")],
        content: .stream(stream))
    }
    return HTTPResponse.guarded(response, label: "console", request)
  }

  /// An error before a session is known.
  private func plain(_ error: LedgerError, _ request: HTTPRequest) -> HTTPResponse {
    let body = PageFrame.document(title: "Console", [.element(.main, [], [.h1("Console"), PageFrame.message(error)])])
    return HTTPResponse.guarded(Self.html(body, status: error.code.kind.row.httpStatus), label: "console", request)
  }

  private static func html(_ html: HTML, status: Int) -> HTTPResponse {
    HTTPResponse(
      status: status, headers: [("Content-Type", "text/html; charset=utf-8")],
      content: .bytes(Array("<!DOCTYPE html>".utf8) + html.bytes))
  }

  private static func redirect(to path: ConsolePath) -> HTTPResponse {
    .guarded(HTTPResponse(status: 303, headers: [("Location", path.description)]), label: "console", nil)
  }
}
#endif
