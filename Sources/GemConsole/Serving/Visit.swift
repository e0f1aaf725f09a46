#if Server
internal import GemLedger
internal import GemServer
internal import SystemHTTP

/// A request of a signed-in reader.
struct Visit: Sendable {
  let session: ConsoleSession
  let reader: Reader
  /// The names in braces in the path, with their values.
  let names: [String: String]
  let query: FormValues
  /// The sent form; empty for a page that is only read.
  let form: FormValues
  /// The path of this page, without its query.
  let path: ConsolePath
  /// Writes a line of the server's log about a change that the journal does not record.
  let log: ServerLog
  /// What the console keeps for the project of the session.
  let services: ConsoleServices

  var project: ServerProject { session.project }
  var ledger: Ledger { session.project.ledger }

  func name(_ name: String) -> String { names[name] ?? "" }

  /// Returns this page's path with other values in its query; nil removes a value.
  func path(with changes: KeyValuePairs<String, String?>) -> ConsolePath {
    let changed = Dictionary(changes.map { ($0.key, $0.value) }) { $1 }
    let kept = query.fields.filter { changed[$0.name] == nil }.map { (name: $0.name, value: String?.some($0.value)) }
    return ConsolePath(parts: pathParts, query: kept + changes.map { (name: $0.key, value: $0.value) })
  }

  /// The parts of the path behind `/console`.
  let pathParts: [String]

  /// A link to the page after this one; nothing on the last page.
  func nextPage(_ cursor: String?) -> HTML {
    cursor.map { .p(.button("Next page", to: path(with: ["after": $0]))) } ?? .none
  }

  /// The cursor of this page of a list.
  var cursor: PageCursor? { query["after"].map { PageCursor($0) } }

  /// A form that changes something: posted, with the token that shows that the console made it.
  func form(to path: ConsolePath, _ content: [HTML]) -> HTML {
    HTML.element(.form, [], [Field.hidden("form_token", session.formToken)] + content)
      .with(.method, "post").with(.action, path.description)
  }

  /// Logs a change that the journal does not record, with its reason and the key that made it.
  func recordChange(_ message: String, _ facts: [String: JSONValue]) {
    var facts = facts
    facts["key"] = .string(session.keyID)
    facts["reason"] = .string(form["reason"] ?? "")
    facts["project"] = .string(project.id)
    log.event(.info, message, facts)
  }

  /// A form that reads: its values become the query of the page.
  func search(to path: ConsolePath, _ content: [HTML]) -> HTML {
    HTML.element(.form, [], content).with(.method, "get").with(.action, path.description).classed("search")
  }
}

/// The answer to a visit.
enum Reply: Sendable {
  case page(ConsolePage)
  /// The browser reads another page, so that loading it again changes nothing.
  case seeOther(ConsolePath)
  /// A file: its name, nil to show it in a page; its media type and its content.
  case file(name: String?, type: String, [UInt8])
  /// A long file, written while it is sent.
  case stream(name: String, type: String, HTTPStream)
}

/// A page without the parts that all pages share.
struct ConsolePage: Sendable {
  var title: String
  var body: [HTML]
  /// An error of the request, above the page.
  var error: LedgerError?

  init(_ title: String, _ body: HTML..., error: LedgerError? = nil) {
    self.title = title
    self.body = body
    self.error = error
  }
}
#endif
