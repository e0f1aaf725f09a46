package import GemLedger
internal import XCTest

/// The data of an erased customer that a storage forgets, and the data that it keeps; part of ``StorageContract``.
package struct ErasureContract {
  private let make: (LedgerClock) throws -> Ledger
  private let time = ManualClock()

  package init(make: @escaping (LedgerClock) throws -> Ledger) { self.make = make }

  /// Every id and text that is to go.
  package static let secrets = ["alice-secret", "carol-secret", "ally-secret", "note-secret", "key-secret"]

  package func runAll() throws {
    let ledger = try make(time.clock)
    try Self.fill(ledger)
    let before = try numbers(ledger)
    let histories = try before.map { try history(of: $0, in: ledger) }
    try Self.erase(ledger)
    try assertForgotten(ledger, before)
    // The books and all other customers are unchanged.
    XCTAssertEqual(try before.map { try history(of: $0, in: ledger) }, histories)
    let (nobody, bob) = (try ledger.left(of: before[0]), try Make.customer("bob"))
    XCTAssertEqual(try ledger.balance(of: CurrencyCode("GEM"), customer: nobody).balance, 1310)
    XCTAssertEqual(try ledger.wholeHistory(of: bob).compactMap(\.reference?.text), ["note-bob"])
    XCTAssertTrue(try Self.spend(ledger, bob, "bob").isReplayed)
    try ledger.storage.read { (snapshot) throws(LedgerError) in
      let order = try snapshot.order(PurchaseCode("BOB"))
      XCTAssertEqual(order?.request, #"{"note":"bob"}"#)
      XCTAssertEqual(order?.key?.text, "key-bob")
    }
    try assertBooksAddUp(ledger)
    // A caller with an old id or key is a new customer.
    let alice = try Make.customer("alice-secret")
    try ledger.createCustomer(alice)
    XCTAssertEqual(try ledger.balance(of: CurrencyCode("GEM"), customer: alice).balance, 0)
    XCTAssertNotEqual(try ledger.number(of: "alice-secret"), before[0])
    try ledger.grant([Make.amount("GEM", 10)], customer: alice)
    XCTAssertFalse(try Self.spend(ledger, alice, "secret").isReplayed)
    try ledger.book(.openOrder(Self.opening("NEW", "secret"), customer: alice))
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  // MARK: Customers to erase and to keep

  /// Alice has another id, an order, and the merged customer carol; everything that identifies them holds `secret`.
  package static func fill(_ ledger: Ledger) throws {
    try ledger.apply(Make.catalog())
    let (alice, bob) = (try Make.customer("alice-secret"), try Make.customer("bob"))
    let carol = try Make.customer("carol-secret")
    for (customer, word) in [(alice, "secret"), (bob, "bob"), (carol, "secret")] {
      try ledger.grant([Make.amount("GEM", 50)], customer: customer)
      _ = try spend(ledger, customer, word)
      assertRefused(.insufficientBalance) {
        try ledger.spend([Make.amount("GEM", 10_000)], customer: customer, key: Make.key("key-\(word)-refused"))
      }
    }
    try ledger.creditPurchase(Make.purchase("t"), customer: alice)
    try ledger.createAlias(Make.customer("ally-secret"), of: alice)
    try ledger.book(.openOrder(opening("SECRET", "secret"), customer: alice))
    try ledger.book(.openOrder(opening("BOB", "bob"), customer: bob))
    try ledger.merge(from: carol, into: alice)
    try spend(ledger, 10, customer: alice, key: "key-secret-after", reference: "note-secret after")
    try ledger.grant([Make.amount("GEM", 40)], customer: alice, reason: Reason("note-secret"))
    try ledger.freeze(alice, reason: Reason("note-secret"))
    try ledger.unfreeze(alice)
    try ledger.freeze(alice, reason: Reason("note-secret again"))
  }

  package static func erase(_ ledger: Ledger) throws {
    let (alice, carol) = (try ledger.number(of: "alice-secret"), try ledger.merged(into: "alice-secret"))
    let transaction = try ledger.newestTransaction(of: "alice-secret")
    let numbers = [alice] + carol
    try ledger.erase(numbers, as: try numbers.map(ledger.left), by: transaction)
  }

  private static func spend(_ ledger: Ledger, _ customer: CustomerID, _ word: String) throws -> Booking {
    try spend(ledger, 10, customer: customer, key: "key-\(word)", reference: "note-\(word)")
  }

  @discardableResult
  package static func spend(
    _ ledger: Ledger, _ amount: Int64, customer: CustomerID, key: String, reference: String
  ) throws -> Booking {
    var command = try LedgerCommand.spend([Make.amount("GEM", amount)], customer: customer, key: Make.key(key))
    command.reference = try Reference(reference)
    return try ledger.book(command)
  }

  private static func opening(_ code: String, _ word: String) throws -> OrderOpening {
    OrderOpening(
      code: try PurchaseCode(code), store: .apple, product: try ProductCode("gems_1200"), quantity: 1,
      request: #"{"note":"\#(word)"}"#, key: try IdempotencyKey("key-\(word)"), lifetimeMilliseconds: 1_000_000,
      paidBy: nil)
  }

  // MARK: Remains

  /// Alice and carol.
  private func numbers(_ ledger: Ledger) throws -> [CustomerNumber] {
    [try ledger.number(of: "alice-secret")] + (try ledger.merged(into: "alice-secret"))
  }

  private func history(of customer: CustomerNumber, in ledger: Ledger) throws -> [EntryRow] {
    try ledger.storage.read { (snapshot) throws(LedgerError) -> [EntryRow] in
      var found: [EntryRow] = []
      for account in try snapshot.accounts(of: customer) {
        var number = account.lastEntry
        while let entry = try snapshot.entry(number) {
          found.append(entry)
          number = entry.previous
        }
      }
      return found
    }
  }

  private func assertForgotten(_ ledger: Ledger, _ numbers: [CustomerNumber]) throws {
    try ledger.storage.read { (snapshot) throws(LedgerError) in
      for id in ["alice-secret", "carol-secret", "ally-secret"] {
        XCTAssertNil(try snapshot.customer(CustomerID(id)), id)
      }
      for number in numbers {
        let row = try snapshot.customer(number: number)
        let id = CustomerID(ofErased: number, salt: try snapshot.project().salt)
        XCTAssertEqual(row?.id, id)
        XCTAssertNil(row?.frozenReason)
        XCTAssertEqual(try snapshot.customer(id)?.number, numbers[0])
        XCTAssertEqual(try snapshot.addedIDs(of: number), [])
      }
      XCTAssertEqual(try snapshot.customer(number: numbers[0])?.isFrozen, true)
      XCTAssertEqual(try snapshot.mergedCustomers(into: numbers[0]), [numbers[1]])
      // Not every storage lists the remains of erased ids.
      let ids = try snapshot.scan().page(after: nil as AddedIDRow?, limit: 100).map(\.id).filter { !$0.isOfErased }
      XCTAssertEqual(ids.map(\.text), ["bob"])
      for transaction in try snapshot.scan().transactions(after: 0, limit: 1000) {
        let note: NoteRow? = try snapshot.row(NoteRow.ofTransaction, IndexKey(transaction.number))
        if numbers.contains(transaction.customer) { XCTAssertNil(note) }
      }
      for row in try snapshot.scan().page(after: nil as KeyRow?, limit: 1000) {
        XCTAssertFalse(row.key.text.contains("secret"), row.key.text)
      }
      let order = try snapshot.order(PurchaseCode("SECRET"))
      XCTAssertEqual(order?.request, OrderRow.erasedRequest)
      XCTAssertNil(order?.key)
      for number in numbers {
        let order: OrderRow? = try snapshot.row(OrderRow.byKey, IndexKey(number, text: "key-secret"))
        XCTAssertNil(order)
      }
    }
  }
}

extension Ledger {
  fileprivate func merged(into customer: String) throws -> [CustomerNumber] {
    let number = try number(of: customer)
    return try storage.read { (snapshot) throws(LedgerError) -> [CustomerNumber] in
      try snapshot.mergedCustomers(into: number)
    }
  }
}
