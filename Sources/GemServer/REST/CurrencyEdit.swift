#if Server
internal import GemLedger

/// Changes of the catalog's currencies; each reads and replaces the catalog in one commit.
struct CurrencyEdit {
  private let call: Call

  init(_ call: Call) { self.call = call }

  /// Returns the code in the path.
  ///
  /// - Throws: `LedgerError` with `unknown_currency` if no currency can have this code.
  static func code(in call: Call) throws(LedgerError) -> CurrencyCode {
    let text = call.name("virtual_currency_code")
    guard let code = CurrencyCode(exactly: text) else { throw unknown(text) }
    return code
  }

  static func unknown(_ code: String) -> LedgerError {
    LedgerError(
      .unknownCurrency, "There is no currency \"\(code.prefix(100))\" in the catalog.",
      details: [.text("param", "virtual_currency_code")])
  }

  /// - Returns: The new currency's code.
  /// - Throws: `LedgerError` with, in order of precedence, `invalid_request`, `already_exists`, `product_not_found`,
  ///   `limit_exceeded`, `invalid_catalog`.
  func create() throws(LedgerError) -> CurrencyCode {
    guard let code = CurrencyCode(exactly: call.body["code"]?.text ?? "") else {
      throw .parameter("code", "has to be 1 to 10 of A-Z, a-z, 0-9 and _")
    }
    let grants = try ProductGrants(call.body[ProductGrants.member] ?? .null)
    try call.editCatalog { (draft) throws(LedgerError) in
      guard !draft.currencies.contains(where: { $0.code == code }) else {
        throw LedgerError(
          .alreadyExists, "There is a currency with the code \(code) already.", details: [.text("param", "code")])
      }
      draft.currencies.append(
        Currency(code: code, name: call.body["name"]?.text ?? "", description: call.body["description"]?.text))
      draft.products = try grants.applied(to: draft.products, of: code)
    }
    return code
  }

  /// Changes the members in the body only; null removes the description or all grants.
  ///
  /// - Throws: `LedgerError` with, in order of precedence, `unknown_currency`, `product_not_found`, `invalid_request`,
  ///   `invalid_catalog`.
  func update() throws(LedgerError) -> CurrencyCode {
    var grants: ProductGrants?
    if let value = call.body[ProductGrants.member] { grants = try ProductGrants(value) }
    return try change { (currency, products) throws(LedgerError) in
      if let name = call.body["name"]?.text { currency.name = name }
      if let description = call.body["description"] { currency.description = description.text }
      if let grants { products = try grants.applied(to: products, of: currency.code) }
    }
  }

  /// Archives or unarchives the currency.
  ///
  /// - Throws: `LedgerError` with `unknown_currency`.
  func setActive(_ isActive: Bool) throws(LedgerError) -> CurrencyCode {
    try change { (currency, _) throws(LedgerError) in currency.isActive = isActive }
  }

  /// - Throws: `LedgerError` with `unknown_currency`; `not_available` if the currency was used.
  func delete() throws(LedgerError) -> CurrencyCode {
    let code = try Self.code(in: call)
    do throws(LedgerError) {
      try call.project.ledger.catalogEditor.removeCurrency(code, try call.changeDetails())
    } catch {
      throw error.about("virtual_currency_code")
    }
    return code
  }

  private func change(
    _ change: (inout Currency, inout [Product]) throws(LedgerError) -> Void
  ) throws(LedgerError) -> CurrencyCode {
    let code = try Self.code(in: call)
    try call.editCatalog { (draft) throws(LedgerError) in
      guard let index = draft.currencies.firstIndex(where: { $0.code == code }) else {
        throw Self.unknown(code.description)
      }
      try change(&draft.currencies[index], &draft.products)
    }
    return code
  }
}
#endif
