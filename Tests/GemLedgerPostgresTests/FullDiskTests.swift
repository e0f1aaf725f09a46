#if PostgreSQL
import GemLedger
import GemLedgerAudit
import GemLedgerPostgres
import GemTestSupport
import PostgresTestSupport
import XCTest

/// Commands that fail for lack of disk space are not booked; they are booked once there is space.
final class FullDiskTests: XCTestCase {
  private func command(_ number: Int) throws -> LedgerCommand {
    var command = LedgerCommand.grant(
      [try Make.amount("GEM", 1)], customer: try Make.customer("customer \(number % 200)"),
      key: try Make.key("grant \(number)"))
    command.reason = try Reason(String(repeating: "because ", count: 20))
    return command
  }

  /// Books group after group until one fails; gives that group and its error.
  private func fillUp(_ ledger: Ledger) throws -> (group: Range<Int>, error: LedgerError)? {
    for start in stride(from: 0, to: 200_000, by: 200) {
      let group = start..<start + 200
      let answers = ledger.submit(try group.map(command))
      for case .failure(let error) in answers {
        XCTAssertEqual(answers.count { (try? $0.get()) != nil }, 0, "a part of a group was booked")
        return (group, error)
      }
    }
    return nil
  }

  private func assertTheGroupIsBookedNow(_ group: Range<Int>, _ ledger: Ledger) throws {
    let again = try ledger.submit(group.map(command))
    XCTAssertEqual(again.count { (try? $0.get().isReplayed) == false }, group.count)
    XCTAssertEqual(try ledger.verify().transactions, Int64(group.upperBound))
    try assertBooksAddUp(ledger)
  }

  func testAFullDataDirectory() throws {
    let server = try PostgresServer()
    let disk = try SmallDisk(megabytes: 40, for: server)
    try server.execute(
      "CREATE TABLESPACE small LOCATION '\(disk.directory(for: server))'", on: server.superuserURL())
    try server.execute("CREATE DATABASE small OWNER gem TABLESPACE small", on: server.superuserURL())
    let url = server.url(database: "small")
    let ledger = try Ledger.createPostgres(at: url + "?lanes=1")
    try ledger.apply(Make.catalog())
    try disk.fill()
    let (group, error) = try XCTUnwrap(fillUp(ledger), "the disk was never full")
    XCTAssertEqual(error.code, .inputOutput, error.message)
    XCTAssertEqual(error.code.exitStatus, 74)
    XCTAssertTrue(error.message.contains("Free space"), error.message)
    XCTAssertEqual(try ledger.verify().transactions, Int64(group.lowerBound))
    // It reads, and says the same again.
    XCTAssertEqual(
      try ledger.submit(group.map(command)).compactMap { $0.error?.code },
      group.map { _ in .inputOutput })
    try disk.makeRoom()
    try assertTheGroupIsBookedNow(group, ledger)
    ledger.close()
    server.remove()
  }

  /// Where the log cannot be written the server gives up, and with it the connection.
  func testAFullLog() throws {
    let server = try PostgresServer(settings: ["min_wal_size": "32MB", "max_wal_size": "48MB", "wal_recycle": "off"])
    let disk = try SmallDisk(megabytes: 100, for: server)
    try server.stop()
    try server.moveLog(to: disk)
    try server.start()
    let url = try server.createDatabase()
    let maker = try Ledger.createPostgres(at: url + "?lanes=1")
    try maker.apply(Make.catalog())
    maker.close()
    let recovery = PostgresRecovery(retryPolicy: .zero)
    let ledger = Ledger(storage: try PostgresStorage(url: url, recovery: recovery))
    try server.execute("CHECKPOINT", on: server.superuserURL())
    try disk.fill()
    let (group, error) = try XCTUnwrap(fillUp(ledger), "the log was never full")
    XCTAssertTrue([.storageUnavailable, .outcomeUnknown, .inputOutput].contains(error.code), "\(error)")
    try disk.makeRoom()
    // It may have come back by itself, or given up, and then there is nothing to stop.
    try? server.stop(immediate: true)
    try server.start()
    let after = Ledger(storage: try PostgresStorage(url: url))
    let booked = try after.verify().transactions
    XCTAssertTrue([group.lowerBound, group.upperBound].contains(Int(booked)), "\(booked) of \(group)")
    if error.code != .outcomeUnknown { XCTAssertEqual(Int(booked), group.lowerBound) }
    let again = try after.submit(group.map(command))
    XCTAssertEqual(again.count { (try? $0.get()) != nil }, group.count)
    XCTAssertEqual(try after.verify().transactions, Int64(group.upperBound))
    try assertBooksAddUp(after)
    after.close()
    ledger.close()
    server.remove()
  }
}

extension Result {
  fileprivate var error: Failure? {
    if case .failure(let error) = self { return error }
    return nil
  }
}
#endif
