#if Server
import Foundation
import SystemHTTP
import XCTest

/// A browser without script: it keeps the cookie, follows redirects, and sends forms as their pages have them.
final class Browser {
  private let site: HTTPAreas
  private(set) var cookie: String?
  /// What happens while the server waits for a request's body.
  var betweenHeadAndBody: () -> Void = {}
  /// The name by which the site is called.
  var host = "localhost:8383"
  /// The fields that it sends with every request.
  var fields: [(name: String, value: String)] = []
  var client = "127.0.0.1"
  private(set) var last: Page?

  init(_ site: HTTPAreas) { self.site = site }

  /// Opens a page, following redirects.
  @discardableResult
  func open(_ target: String) async throws -> Page { try await send("GET", target, [:]) }

  /// Sends the form of a page that has this action, or its first form with a button.
  ///
  /// - Parameters:
  ///   - values: The values that the reader fills in; the others are as the page has them.
  ///   - step: The value of the pressed button named `step`.
  @discardableResult
  func submit(_ page: Page, _ action: String? = nil, _ values: [String: String] = [:], step: String? = nil) async throws
    -> Page
  {
    let form = try XCTUnwrap(
      page.forms.first {
        action == nil
          ? !["/console/zone", "/console/sign-out"].contains($0.action) && $0.method == "post" : $0.action == action
      },
      "no form \(action ?? "") on \(page.title): \(page.text)")
    var fields = form.fields.filter { values[$0.name] == nil } + values.map { (name: $0.key, value: $0.value) }
    if let step { fields.append(("step", step)) }
    let body = fields.map { "\(Percent.encoded($0.name))=\(Percent.encoded($0.value))" }.joined(separator: "&")
    return try await send("POST", form.action, ["Origin": "http://\(host)"], body)
  }

  /// Sends a request with these fields, following redirects.
  func send(_ method: String, _ target: String, _ more: [String: String], _ body: String = "") async throws -> Page {
    let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
    let path = try parts[0].dropFirst().split(separator: "/", omittingEmptySubsequences: false)
      .map { try XCTUnwrap(Percent.decoded($0.utf8)) }
    let query = try (parts.count > 1 ? parts[1].split(separator: "&") : []).map { pair in
      let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (
        name: try XCTUnwrap(Percent.decoded(sides[0].utf8, plusIsSpace: true)),
        value: try XCTUnwrap(Percent.decoded(sides[1].utf8, plusIsSpace: true))
      )
    }
    var headers = HTTPHeaders([("Host", host)] + fields + more.map { ($0.key, $0.value) })
    if let cookie { headers.add("Cookie", "other=1; \(cookie)") }
    let request = HTTPRequest(
      method: method, path: path, query: query, headers: headers, body: Array(body.utf8), client: client, id: "r1")
    let response: HTTPResponse
    switch site.answer(request) {
    case .now(let now): response = now
    case .later(let work):
      betweenHeadAndBody()
      response = await work()
    }
    for field in response.headers where field.name == "Set-Cookie" {
      let pair = String(field.value.prefix { $0 != ";" })
      cookie = pair.hasSuffix("=") ? nil : pair
    }
    if response.status == 303, let location = response.headers.first(where: { $0.name == "Location" })?.value {
      return try await open(location)
    }
    let page = Page(response)
    last = page
    return page
  }

  /// An answer, read as a page.
  struct Page {
    let status: Int
    let text: String
    let response: HTTPResponse

    init(_ response: HTTPResponse) {
      self.response = response
      status = response.status
      guard case .bytes(let bytes) = response.content else {
        text = ""
        return
      }
      text = String(decoding: bytes, as: UTF8.self)
    }

    var title: String { text.firstMatch(of: /<h1>(.*?)<\/h1>/).map { String($0.1) } ?? "" }
    /// The text without markup, as a reader sees it.
    var words: String {
      text.replacing(/<[^>]*>/, with: " ").replacing("&lt;", with: "<").replacing("&gt;", with: ">")
        .replacing("&quot;", with: "\"").replacing("&#39;", with: "'").replacing("&amp;", with: "&")
        .replacing("\u{A0}", with: " ").replacing(#/ +/#, with: " ")
    }
    var links: [String] { text.matches(of: /<a [^>]*?href="([^"]*)"/).map { Self.plain($0.1) } }
    func header(_ name: String) -> String? { response.headers.first { $0.name == name }?.value }

    var forms: [Form] {
      text.matches(of: /<form([^>]*)>(.*?)<\/form>/.dotMatchesNewlines()).map { Form(String($0.1), String($0.2)) }
    }

    fileprivate static func plain(_ text: some StringProtocol) -> String {
      String(text).replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
        .replacing("&#39;", with: "'").replacing("&amp;", with: "&")
    }
  }

  struct Form {
    let action: String
    let method: String
    let fields: [(name: String, value: String)]

    fileprivate init(_ attributes: String, _ content: String) {
      action = Self.value("action", attributes) ?? ""
      method = Self.value("method", attributes) ?? ""
      var fields: [(name: String, value: String)] = []
      for input in content.matches(of: /<input([^>]*)>/) {
        let attributes = String(input.1)
        guard let name = Self.value("name", attributes) else { continue }
        if attributes.contains("type=\"checkbox\""), !attributes.contains(" checked") { continue }
        fields.append((name, Self.value("value", attributes) ?? ""))
      }
      for area in content.matches(of: /<textarea([^>]*)>(.*?)<\/textarea>/.dotMatchesNewlines()) {
        fields.append((Self.value("name", String(area.1)) ?? "", Page.plain(area.2)))
      }
      for select in content.matches(of: /<select([^>]*)>(.*?)<\/select>/.dotMatchesNewlines()) {
        let options = select.2.matches(of: /<option([^>]*)>/).map { String($0.1) }
        let chosen = options.first { $0.contains(" selected") } ?? options.first ?? ""
        fields.append((Self.value("name", String(select.1)) ?? "", Self.value("value", chosen) ?? ""))
      }
      self.fields = fields
    }

    private static func value(_ name: String, _ attributes: String) -> String? {
      attributes.matches(of: /([a-z\-]+)="([^"]*)"/).first { $0.1 == name }.map { Page.plain($0.2) }
    }
  }
}
#endif
