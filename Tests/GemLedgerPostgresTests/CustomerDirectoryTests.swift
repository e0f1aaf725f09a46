#if PostgreSQL
import GemLedger
import GemTestSupport
import XCTest

@testable import GemLedgerPostgres

/// The remembered customers of ids, while other processes merge customers and undo it.
final class CustomerDirectoryTests: XCTestCase {
  private typealias Address = CustomerDirectory.CustomerAddress

  /// A customer that became part of another, and later the other way round.
  func testMergesThatTurnedRoundLeadInNoCircle() throws {
    let directory = CustomerDirectory()
    let (alice, bob) = (try Make.customer("alice"), try Make.customer("bob"))
    directory.remember(originals: [(alice, 1), (bob, 2)])
    func located(_ transaction: Int64, _ address: Address) -> CustomerDirectory.LocatedTransaction {
      CustomerDirectory.LocatedTransaction(
        row: TransactionRow(
          number: transaction, kind: .spend, customer: address.original, createdAt: Timestamp(milliseconds: 0),
          firstEntry: 0), address: address)
    }
    directory.remember([located(10, Address(original: 1, mergedInto: 2))], since: directory.epoch)
    XCTAssertEqual(directory.addresses(of: [alice]), [Address(original: 1, survivingCustomer: 2)])
    directory.remember([located(20, Address(original: 2, mergedInto: 1))], since: directory.epoch)
    XCTAssertEqual(
      directory.addresses(of: [alice, bob]),
      [Address(original: 1, survivingCustomer: 1), Address(original: 2, survivingCustomer: 1)])
    directory.correct(alice, to: Address(original: 1, mergedInto: 2))
    XCTAssertEqual(
      directory.addresses(of: [alice, bob]),
      [Address(original: 1, survivingCustomer: 2), Address(original: 2, survivingCustomer: 2)])
  }

  func testAnUnmergeIsRememberedForAllIDs() throws {
    let directory = CustomerDirectory()
    let (alice, phone) = (try Make.customer("alice"), try Make.customer("alice's phone"))
    directory.remember([
      (alice, Address(original: 1, mergedInto: 2)), (phone, Address(original: 1, mergedInto: 2)),
    ])
    var rows = [1, 2].map {
      CustomerRow(number: $0, id: alice, createdAt: Timestamp(milliseconds: 0))
    }
    directory.remember(mergesOf: rows)
    let own = Address(original: 1, survivingCustomer: 1)
    XCTAssertEqual(directory.addresses(of: [alice, phone]), [own, own])
    rows[0].mergedInto = 2
    directory.remember(mergesOf: rows)
    XCTAssertEqual(directory.addresses(of: [phone]), [Address(original: 1, survivingCustomer: 2)])
  }
}
#endif
