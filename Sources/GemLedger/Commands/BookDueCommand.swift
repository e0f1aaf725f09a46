/// Books everything that is due for a customer.
struct BookDueCommand: Command {
  var action: LedgerCommand.Action { .bookDue(self) }

  static let keyFields = KeyFields(rest: "kind")
  var asked: Int64 { Fingerprint.asked(.keyless, 0) }
  // It books only effects that are due anyway; the sweeper sends it for every customer that it finds.
  var namedCustomers: NamedCustomers { .none }
  func footprint(besides customer: CustomerID) -> LedgerCommand.Footprint? { nil }
  var independence: Independence { .ofOtherCustomers }

  /// Books all due effects of the customer.
  ///
  /// - Throws: `customer_not_found`.
  func decide(_ decider: inout Decider, _ command: LedgerCommand.Body) throws(LedgerError) -> Booking {
    guard let customer = try decider.books.work.customers.find(command.customer) else {
      throw .customerNotFound(command.customer)
    }
    decider.books.plans.removeAll(keepingCapacity: true)
    for currency in decider.books.definitions.currencies {
      try decider.books.plan(.expiry, currency.code, 0, customer: customer)
    }
    for index in decider.books.plans.indices {
      let slot = decider.books.plans[index].slot
      if decider.books.plans[index].expiredAmount != 0 {
        decider.books.bookExpiry(of: index, customer: customer.number)
      } else if decider.books.work.accounts[slot].row.nextExpiry <= decider.books.work.now.milliseconds {
        // The account's row expected an expiry too early; its lots are loaded now and give the correct instant.
        decider.books.work.accounts.refreshNextExpiry(of: slot)
        decider.books.work.accounts[slot].isChanged = true
      }
    }
    return Booking(
      transactionID: nil, customer: command.customer, kind: .expiry, createdAt: decider.books.work.now,
      entries: CompactList([]))
  }
}

extension LedgerCommand {
  /// Books the due scheduled effects: expiries, ended holds, allowances, recharges.
  ///
  /// Nothing depends on it: every command and every read applies the due effects.
  public static func bookDue(_ customer: CustomerID) -> Self {
    Self(BookDueCommand(), customer: customer, key: nil)
  }
}
