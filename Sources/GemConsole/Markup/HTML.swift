#if Server
/// A part of a page.
///
/// Texts are escaped when they are written, attributes have known names and quoted values, and links lead to paths of
/// the console. So no text, whatever its source, becomes markup.
indirect enum HTML: Sendable {
  case text(String)
  case element(Tag, [Attribute], [HTML])
  case group([HTML])

  /// The elements of the console's pages.
  enum Tag: String, Sendable {
    case a, abbr, article, aside, bdi, body, button, caption, code, data, datalist, dd, details, div, dl, dt, em
    case fieldset, footer, form, h1, h2, h3, head, header, html, img, input, kbd, label, legend, li, link, main, meta
    case nav, ol, option, p, pre, script, section, select, small, span, strong, summary, table, tbody, td, textarea
    case th, thead, time, title, tr, ul

    /// Whether it has neither content nor an end.
    fileprivate var isVoid: Bool { [.img, .input, .link, .meta].contains(self) }
  }

  /// An attribute of an element; nil for one without a value, such as `required`.
  struct Attribute: Sendable {
    let name: Name
    let value: String?

    enum Name: String, Sendable {
      case action, alt, autocapitalize, autocomplete, autofocus, charset, checked, `class`, colspan, content, datetime
      case disabled, download, enctype, `for`, height, href, id, inputmode, lang, list, maxlength, method, name, open
      case pattern, placeholder, rel, required, role, rows, scope, selected, spellcheck, src, tabindex, title, type
      case value, width
      case ariaCurrent = "aria-current"
      case ariaDescribedBy = "aria-describedby"
      case ariaInvalid = "aria-invalid"
      case ariaLabel = "aria-label"
      case ariaLabelledBy = "aria-labelledby"
      /// The exact value, which copying gives instead of the formatted one.
      case dataExact = "data-exact"
      /// The key that leads to a link.
      case dataKey = "data-key"
      /// The seconds after which the script loads the element again.
      case dataLive = "data-live"
      /// On the page of a session whose time zone is not known yet.
      case dataZone = "data-zone"
    }
  }

  /// Returns the part with more attributes; a part that is not one element is unchanged.
  func with(_ name: Attribute.Name, _ value: String? = nil) -> HTML {
    guard case .element(let tag, let attributes, let children) = self else { return self }
    return .element(tag, attributes + [Attribute(name: name, value: value)], children)
  }

  func classed(_ name: String) -> HTML { with(.class, name) }

  /// Nothing.
  static let none = HTML.group([])

  // MARK: Writing

  /// The markup in UTF-8.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(16_384)
    write(to: &bytes)
    return bytes
  }

  private func write(to bytes: inout [UInt8]) {
    switch self {
    case .text(let text): Self.write(text, to: &bytes)
    case .group(let parts): for part in parts { part.write(to: &bytes) }
    case .element(let tag, let attributes, let children):
      bytes += "<\(tag.rawValue)".utf8
      for attribute in attributes {
        bytes += " \(attribute.name.rawValue)".utf8
        guard let value = attribute.value else { continue }
        bytes += "=\"".utf8
        Self.write(value, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
      }
      bytes.append(UInt8(ascii: ">"))
      guard !tag.isVoid else { return }
      for child in children { child.write(to: &bytes) }
      bytes += "</\(tag.rawValue)>".utf8
    }
  }

  private static func write(_ text: String, to bytes: inout [UInt8]) {
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "&"): bytes += "&amp;".utf8
      case UInt8(ascii: "<"): bytes += "&lt;".utf8
      case UInt8(ascii: ">"): bytes += "&gt;".utf8
      case UInt8(ascii: "\""): bytes += "&quot;".utf8
      case UInt8(ascii: "'"): bytes += "&#39;".utf8
      default: bytes.append(byte)
      }
    }
  }
}

extension HTML: ExpressibleByStringInterpolation {
  init(stringLiteral text: String) { self = .text(text) }
}
#endif
