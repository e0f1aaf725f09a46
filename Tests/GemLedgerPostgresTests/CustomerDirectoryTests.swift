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
    directory.remember(originals: [(alice, 1), (bob, 2)], since: directory.epoch)
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
    directory.correct(alice, to: Address(original: 1, mergedInto: 2), since: directory.epoch)
    XCTAssertEqual(
      directory.addresses(of: [alice, bob]),
      [Address(original: 1, survivingCustomer: 2), Address(original: 2, survivingCustomer: 2)])
  }

  func testAnUnmergeIsRememberedForAllIDs() throws {
    let directory = CustomerDirectory()
    let (alice, phone) = (try Make.customer("alice"), try Make.customer("alice's phone"))
    let merged = Address(original: 1, mergedInto: 2)
    directory.remember([(alice, merged), (phone, merged)], since: directory.epoch)
    var rows = [1, 2].map {
      CustomerRow(number: $0, id: alice, createdAt: Timestamp(milliseconds: 0))
    }
    directory.remember(mergesOf: rows, since: directory.epoch)
    let own = Address(original: 1, survivingCustomer: 1)
    XCTAssertEqual(directory.addresses(of: [alice, phone]), [own, own])
    rows[0].mergedInto = 2
    directory.remember(mergesOf: rows, since: directory.epoch)
    XCTAssertEqual(directory.addresses(of: [phone]), [Address(original: 1, survivingCustomer: 2)])
  }

  /// The server may have lost rows that were read earlier.
  func testRowsOfAnEarlierEpochAreNotRemembered() throws {
    let directory = CustomerDirectory()
    let alice = try Make.customer("alice")
    let epoch = directory.epoch
    directory.forgetAll()
    let address = Address(original: 1, mergedInto: 0)
    directory.remember([(alice, address)], since: epoch)
    directory.remember(originals: [(alice, 1)], since: epoch)
    directory.correct(alice, to: address, since: epoch)
    XCTAssertEqual(directory.addresses(of: [alice]), [nil])
    directory.remember([(alice, address)], since: directory.epoch)
    XCTAssertEqual(directory.addresses(of: [alice]), [address])
  }
}
#endif
