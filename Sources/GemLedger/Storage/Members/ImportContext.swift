/// The data from earlier lines that reading a line needs.
package struct ImportContext {
  /// The numbers of currencies by code.
  package var currencies: [String: Int64] = [:]
  package var ids = TransactionIDMaker(salt: 0)

  package init() {}

  package mutating func learn(_ rows: [CatalogRow]) {
    for row in rows where row.kind == .currency { currencies[row.code] = row.position }
  }

  func currency(_ code: String) throws(LineFault) -> Int64 {
    guard let number = currencies[code] else {
      throw LineFault("The currency \"\(code.prefix(60))\" is not in the catalog.")
    }
    return number
  }
}
