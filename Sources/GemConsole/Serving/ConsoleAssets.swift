#if Server
internal import SystemCrypto
internal import SystemHTTP

/// The style sheet, the script and the icon, embedded in the program; their paths name their content.
struct ConsoleAssets: Sendable {
  let name: String
  let type: String
  let content: [UInt8]
  /// The address, which changes with the content, so that browsers may keep it for ever.
  let path: String

  private init(_ name: String, _ type: String, _ text: String) {
    self.name = name
    self.type = type
    content = Array(text.utf8)
    path = ConsolePath(name, query: ["v": String(Hex.text(TextDigest.sha256(of: text)).prefix(12))]).description
  }

  static let style = ConsoleAssets("style.css", "text/css; charset=utf-8", ConsoleStyle.text)
  static let icon = ConsoleAssets(
    "icon.svg", "image/svg+xml",
    """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="#1f77d0" d="M4 2h8l3 4-7 8-7-8z"/></svg>
    """)
  static let script = ConsoleAssets("script.js", "text/javascript; charset=utf-8", ConsoleScript.text)

  /// By name.
  static let all = Dictionary(uniqueKeysWithValues: [style, script, icon].map { ($0.name, $0) })

  func response(to request: HTTPRequest) -> HTTPResponse {
    HTTPResponse.guarded(
      HTTPResponse(
        status: 200,
        headers: [("Content-Type", type), ("Cache-Control", "public, max-age=31536000, immutable")],
        content: .bytes(content)),
      label: "console_asset", request)
  }
}
#endif
