/// A product's title and description in one language.
public struct Localization: Hashable, Sendable {
  /// The language and region, such as `en_US`.
  public let locale: String
  /// The product's name in the shop window.
  public let title: String
  /// A sentence about it.
  public let description: String

  /// A product's texts for one locale.
  public init(locale: String, title: String, description: String = "") {
    self.locale = locale
    self.title = title
    self.description = description
  }
}

extension Localization {
  init?(reading field: CatalogField) {
    guard let fields = field.fields(["locale", "title", "description"]) else { return nil }
    let locale = fields.required("locale") { try $0.locale() }
    let title = fields.required("title") { try $0.caption() }
    let description = fields.optional("description", default: "") { try $0.shortText() }
    guard let locale, let title else { return nil }
    self.init(locale: locale, title: title, description: description)
  }

  /// Whether the text is a language of two or three letters, and subtags after low lines or hyphens.
  package static func isLocale(_ text: String) -> Bool {
    let parts = text.utf8.split(omittingEmptySubsequences: false) { $0 == 0x5F || $0 == ASCII.minus }
    guard let language = parts.first, (2...3).contains(language.count), language.allSatisfy(ASCII.isLetter) else {
      return false
    }
    return parts.dropFirst().allSatisfy { part in
      (1...8).contains(part.count) && part.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) }
    }
  }

  func json() -> JSONValue {
    ["locale": .string(locale), "title": .string(title), "description": .string(description)]
  }
}

extension CatalogField {
  package func locale() throws(LedgerError) -> String {
    let locale = try shortText()
    guard Localization.isLocale(locale) else {
      throw refused("\"\(locale.abridged)\" is not a locale, such as \"en_US\".")
    }
    return locale
  }
}
