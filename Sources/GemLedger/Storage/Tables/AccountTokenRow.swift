/// An account token on purchases, and the customer that it names.
package struct AccountTokenRow: Hashable, Sendable {
  package var token: TokenNumber
  package var customer: CustomerNumber

  package init(token: TokenNumber, customer: CustomerNumber) {
    self.token = token
    self.customer = customer
  }
}

extension AccountTokenRow: ExportedRow {
  package static let table: StaticString = "account_tokens"
  package static let keyColumnCount = 2
  package static var blank: Self { Self(token: TokenNumber(high: 0, low: 0), customer: 0) }

  package mutating func visit<Members: MemberVisitor>(_ columns: inout Members) {
    columns.token(&token, .exported)
    columns.number("customer", &customer, .exported)
  }
}

// MARK: Indexes

extension AccountTokenRow {
  package static var indexes: [RowIndex<Self>] { [byToken] }

  package static let byToken = RowIndex<Self>(
    "customerByToken", key: ["high", "low"],
    inMemory: .one { tables, key in
      let token = TokenNumber(high: key.first, low: key.second)
      return tables.orders.tokens[token].map { Self(token: token, customer: $0) }
    })
}

/// The number inside an account token.
package struct TokenNumber: Hashable, Sendable {
  package var high: Int64
  package var low: Int64

  package init(high: Int64, low: Int64) {
    self.high = high
    self.low = low
  }
}

// MARK: Digest

extension RowDigest {
  static func of(_ row: AccountTokenRow) -> UInt64 {
    var digest = RowDigest(.accountToken)
    digest.add(row.token.high)
    digest.add(row.token.low)
    digest.add(row.customer)
    return digest.value
  }
}
