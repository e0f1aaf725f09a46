#if PostgreSQL
import GemLedger
import GemTestSupport
import PostgresTestSupport
import XCTest

@testable import GemLedgerPostgres

/// The rules of a distributed ledger whose groups of one lane use the lanes' nodes.
final class NodeContractTests: XCTestCase {
  private func check(_ run: (NodeCluster) throws -> Void) throws {
    let cluster = try NodeCluster()
    _ = try cluster.server.takeStatements()
    try ContractRun.$quickDivisor.withValue(8) { try run(cluster) }
    try assertAccepted(cluster.schemas.takeStatements())
    XCTAssertGreaterThan(cluster.node.commitCount, 0)
    cluster.close()
  }

  func testMeetsTheStorageContract() throws {
    try check { cluster in try StorageContract { try cluster.createOnNodes(clock: $0) }.runAll() }
  }

  func testMergesMeetTheContract() throws {
    try check { cluster in try MergeContract { try cluster.createOnNodes(clock: $0) }.runAll() }
  }

  func testRefundsMeetTheContract() throws {
    try check { cluster in try RefundContract { try cluster.createOnNodes(clock: $0) }.runAll() }
  }
}
#endif
