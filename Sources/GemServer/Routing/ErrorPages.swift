#if Server
internal import GemLedger
internal import SystemHTTP

/// The pages for the `doc_url` of errors, generated from the registry of codes; the server needs no network for them.
enum ErrorPages {
  static var all: [Route] { [index, page] }

  private static let path = "/docs/errors"

  /// Returns the address of the page of a code or a type, on this server.
  static func url(of name: String) -> String { "\(path)/\(name)" }

  private static let index = Route(
    method: "GET", path: path, name: "list_error_pages", summary: "All error codes, for people.", access: .open,
    answers: [200: .text()], mediaType: mediaType,
    work: .now { (_) throws(LedgerError) in
      html("Error codes", ErrorKind.allCases.map(section).joined(separator: "\n"))
    })

  private static let page = Route(
    method: "GET", path: path + "/{error_code}", name: "get_error_page",
    summary: "One error code, or the codes of one type, for people.", access: .open,
    answers: [200: .text(), 404: .text()],
    mediaType: mediaType,
    work: .now { (call) throws(LedgerError) in
      let name = call.name("error_code")
      let kinds = ErrorKind(rawValue: name).map { [$0] } ?? ErrorKind.allCases.filter { $0.row.type == name }
      guard !kinds.isEmpty else { return html("No such error code", "", status: 404) }
      return html(name, kinds.map(section).joined(separator: "\n"))
    })

  private static let mediaType = "text/html"

  // MARK: Text

  private static func section(_ kind: ErrorKind) -> String {
    let (row, text) = (kind.row, ErrorTexts.all[kind.rawValue])
    let facts = [
      ("Meaning", text?.meaning ?? ""), ("What to do", text?.remedy ?? ""),
      ("Status", "\(row.httpStatus), `\(row.type)`; `gemctl` exits with \(row.exitStatus)"),
      (
        "Idempotency",
        row.isKept
          ? "The key keeps this refusal: the same request under the same key gets it again."
          : "The key does not keep this error: the same request under the same key is decided again."
      ),
    ]
    let list = facts.map { "<dt>\($0)</dt><dd>\(marked($1))</dd>" }.joined(separator: "\n")
    return "<h2 id=\"\(kind.rawValue)\"><code>\(kind.rawValue)</code></h2>\n<dl>\n\(list)\n</dl>"
  }

  private static func html(_ title: String, _ body: String, status: Int = 200) -> HTTPResponse {
    let text = """
      <!DOCTYPE html>
      <html lang="en">
      <head><meta charset="utf-8"><title>\(title)</title></head>
      <body>
      <h1>\(title)</h1>
      \(body)
      <p><a href="\(path)">All error codes</a></p>
      </body>
      </html>

      """
    return HTTPResponse(
      status: status,
      headers: [
        ("Content-Type", "\(mediaType); charset=utf-8"), ("Content-Security-Policy", "default-src 'none'"),
        ("X-Content-Type-Options", "nosniff"),
      ], content: .bytes(Array(text.utf8)))
  }

  /// Returns the text with marked code, and with the last names of documentation links.
  private static func marked(_ text: String) -> String {
    text.replacing(/<doc:(\w+)>/) { "the page \($0.1)" }
      .replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing(/``(?:\w+\/)*([^`]+)``/) { "<code>\($0.1)</code>" }
      .replacing(/`([^`]+)`/) { "<code>\($0.1)</code>" }
  }
}
#endif
