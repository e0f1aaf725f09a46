import SimulatedStoreKit
import XCTest

@MainActor
final class GemPackTests: XCTestCase {
  func testAPackIsBoughtAndRefunded() async throws {
    let session = try SKTestSession(configurationFileNamed: "gems")
    let gems = try await Product.products(for: ["gems_1200"])[0]
    guard case .success(.verified(let transaction)) = try await gems.purchase() else { return XCTFail("not bought") }
    await transaction.finish()
    try session.refundTransaction(identifier: UInt(transaction.id))
    let refunded = await Transaction.latest(for: "gems_1200")
    XCTAssertNotNil(refunded?.unsafePayloadValue.revocationDate)
  }
}
