#if Server
internal import GemLedger
internal import GemServer

/// The parts that all pages share: navigation, search, errors, time zone and sign-out.
struct PageFrame {
  let page: ConsolePage
  let visit: Visit

  /// A section of the console with the permissions of its first page, of which one is enough, and its shortcut.
  private struct Section {
    let name: String
    let path: String
    let scopes: [Scope]
    let key: String
  }

  /// The permissions for a kind of the catalog's objects each; one of them is enough for the catalog's first page.
  static let catalogScopes: [Scope] = [.currencies, .products, .offerings, .catalog]

  private static let sections = [
    Section(name: "Overview", path: "", scopes: [.books], key: "o"),
    Section(name: "Customers", path: "customers", scopes: [.customers], key: "c"),
    Section(name: "Catalog", path: "catalog", scopes: catalogScopes, key: "k"),
    Section(name: "Purchases", path: "purchases", scopes: [.purchases], key: "p"),
    Section(name: "Webhooks", path: "webhooks", scopes: [.webhooks], key: "w"),
    Section(name: "Keys", path: "keys", scopes: [.keys], key: "a"),
    Section(name: "Reports", path: "reports", scopes: [.books], key: "r"),
    Section(name: "Books", path: "books", scopes: [.books], key: "b"),
  ]

  /// The path of the first section that the key may see.
  static func home(of session: ConsoleSession) -> String? {
    sections.first { session.allows(oneOf: $0.scopes) }?.path
  }

  var html: HTML {
    let skip = HTML.element(.a, [], ["Skip to the content"]).with(.href, "#content").classed("skip")
    let main = HTML.element(
      .main, [], [.h1(.text(page.title)), page.error.map(Self.message) ?? .none] + page.body
    ).with(.id, "content")
    return Self.document(title: page.title, [skip, header, main, footer], zoneIsKnown: visit.session.zone != nil)
  }

  static func message(_ error: LedgerError) -> HTML {
    .message(
      "bad", .p(.strong(.element(.bdi, [], [.text(HTML.safeLines(error.message))]))),
      .p("Code ", .errorPage(error.code.description)))
  }

  static func document(title: String, _ body: [HTML], zoneIsKnown: Bool = true) -> HTML {
    var element = HTML.element(.body, [], body)
    if !zoneIsKnown { element = element.with(.dataZone) }
    return HTML.element(
      .html, [],
      [
        .element(
          .head, [],
          [
            HTML.element(.meta, [], []).with(.charset, "utf-8"),
            HTML.element(.meta, [], []).with(.name, "viewport").with(.content, "width=device-width, initial-scale=1"),
            .element(.title, [], [.text("\(title) – GemLedger")]),
            HTML.element(.link, [], []).with(.rel, "stylesheet").with(.href, ConsoleAssets.style.path),
            HTML.element(.link, [], []).with(.rel, "icon").with(.href, ConsoleAssets.icon.path),
            HTML.element(.script, [], []).with(.src, ConsoleAssets.script.path).with(.type, "module"),
          ]), element,
      ]
    ).with(.lang, "en")
  }

  private var header: HTML {
    let links = Self.sections.filter { visit.session.allows(oneOf: $0.scopes) }.map { section in
      let link = HTML.link(.text(section.name), to: ConsolePath(parts: section.path.isEmpty ? [] : [section.path]))
        .with(.dataKey, section.key)
      let isCurrent = (visit.pathParts.first ?? "") == section.path
      return isCurrent ? link.with(.ariaCurrent, "page") : link
    }
    let search = visit.search(
      to: ConsolePath("customers"),
      [
        HTML.element(.input, [], []).with(.type, "search").with(.name, "q").with(.ariaLabel, "Find a customer")
          .with(.placeholder, "Id, e-mail, store transaction…").with(.id, "search").with(.maxlength, "1500"),
        .element(.button, [], ["Find"]).with(.type, "submit"),
      ])
    return HTML.element(
      .header, [],
      [
        .span("GemLedger").classed("brand"),
        .element(.nav, [], [.list(links)]).with(.ariaLabel, "Sections"),
        visit.session.allows(.customers) ? search : .none,
      ])
  }

  private var footer: HTML {
    let zone = visit.form(
      to: ConsolePath("zone"),
      [
        Field.hidden("back", visit.path(with: [:]).description),
        HTML.element(.input, [], []).with(.name, "zone").with(.value, visit.reader.zoneName)
          .with(.ariaLabel, "Time zone").with(.id, "zone").with(.autocomplete, "off").with(.spellcheck, "false"),
        .element(.button, [], ["Set time zone"]).with(.type, "submit"),
      ])
    let signOut = visit.form(
      to: ConsolePath("sign-out"), [.element(.button, [], ["Sign out"]).with(.type, "submit")])
    let rights =
      visit.session.scopes.isEmpty ? "all permissions" : visit.session.scopes.map(\.description).joined(separator: ", ")
    return .element(
      .footer, [],
      [
        .p("Project ", .code(visit.project.id), ", key ", .code(visit.session.keyID), .text(" (\(rights))")), zone,
        signOut,
      ])
  }
}

extension HTML {
  /// The name of an error code, with a link to the server's page about it.
  fileprivate static func errorPage(_ code: String) -> HTML {
    HTML.element(.a, [], [.code(code)]).with(.href, "/docs/errors/\(code)")
  }
}
#endif
