#if Server
internal import SystemHTTP

extension HTTPResponse {
  /// Adds the fields that keep a page from running, framing or storing anything foreign.
  static func guarded(_ response: HTTPResponse, label: String, _ request: HTTPRequest?) -> HTTPResponse {
    var response = response
    response.label = label
    response.headers += [
      (
        "Content-Security-Policy",
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
          + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
      ), ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
      // Not "no-referrer", with which browsers send forms without their origin.
      ("Referrer-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
      ("Cross-Origin-Resource-Policy", "same-origin"),
    ]
    if !response.headers.contains(where: { $0.name == "Cache-Control" }) {
      response.headers.append(("Cache-Control", "no-store"))
    }
    if let request { response.headers.append(("X-Request-Id", request.id)) }
    return response
  }
}
#endif
