#if PostgreSQL
internal import GemLedger

/// The queries for the keys of a group's commands.
struct KeyQueries: SessionPart {
  let session: PostgresSession

  /// How many keys one question to a distributed engine covers; as many of one customer's as there are go into one.
  ///
  /// It looks each of the question's customers up with each of its keys.
  private static let keysPerQuestion = 6

  func keys(
    of commands: [LedgerCommand], _ survivingCustomers: [CustomerID: CustomerNumber?]
  ) -> [[Prefetched.KeyAddress]] {
    var addresses: Set<Prefetched.KeyAddress> = []
    for command in commands {
      guard let key = command.key, let survivingCustomer = survivingCustomers[command.customer], let survivingCustomer
      else { continue }
      addresses.insert(Prefetched.KeyAddress(customer: survivingCustomer, key: key))
    }
    return grouped(Array(addresses))
  }

  /// As many as one question covers.
  func grouped(_ addresses: [Prefetched.KeyAddress]) -> [[Prefetched.KeyAddress]] {
    guard layout.isDistributed else { return addresses.isEmpty ? [] : [addresses] }
    var questions: [[Prefetched.KeyAddress]] = []
    for address in addresses.sorted(by: { $0.customer < $1.customer }) {
      if let last = questions.last, last.count < Self.keysPerQuestion || last.first?.customer == address.customer {
        questions[questions.count - 1].append(address)
      } else {
        questions.append([address])
      }
    }
    return questions
  }

  func question(_ addresses: [Prefetched.KeyAddress]) -> PostgresRequest {
    guard layout.isDistributed else { return Self.oneStepEach(addresses) }
    return PostgresRequest(
      """
      SELECT customer, key, request_digest, qualifier_digest, transaction_number, refusal FROM keys
      WHERE customer = ANY($1) AND key = ANY($2)
      """
    ) {
      let customers = Set(addresses.map(\.customer)).sorted()
      $0.add(customers, { $0 })
      $0.add(addresses, bytes: { PostgresKey.append($0.key, to: &$1) })
    }
  }

  /// A distributed engine joins no lists with its tables; a single server is fastest so.
  ///
  /// The offset keeps it from walking through all keys instead, which it would while there are few, and go on doing
  /// when there are many.
  private static func oneStepEach(_ addresses: [Prefetched.KeyAddress]) -> PostgresRequest {
    PostgresRequest(
      """
      SELECT found.* FROM (SELECT unnest($1) AS owner, unnest($2) AS wanted) places CROSS JOIN LATERAL (
        SELECT customer, key, request_digest, qualifier_digest, transaction_number, refusal FROM keys
        WHERE customer = owner AND key = wanted OFFSET 0
      ) found
      """
    ) {
      $0.add(addresses, \.customer)
      $0.add(addresses, bytes: { PostgresKey.append($0.key, to: &$1) })
    }
  }

  func keep(keys asked: [Prefetched.KeyAddress], _ rows: PostgresRows) throws(LedgerError) {
    prefetched?.askedKeys.formUnion(asked)
    for row in 0..<rows.count { try prefetched?.keep(key: rows, row, storageName) }
  }
}
#endif
