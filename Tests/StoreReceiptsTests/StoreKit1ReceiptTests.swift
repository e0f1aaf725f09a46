#if Receipts
import Foundation
import GemTestSupport
import XCTest

@testable import StoreReceipts

/// The ids in receipts of StoreKit 1, and what hostile ones do to the reader: nothing.
final class StoreKit1ReceiptTests: XCTestCase {
  private let purchases = [
    ("1000000001", "2026-01-02T00:00:00Z"), ("1000000003", "2026-01-03T00:00:00Z"),
    ("1000000002", "2026-01-03T00:00:00Z"), ("1000000004", "2025-01-01T00:00:00Z"),
  ]

  func testTheNewestTransactionComesFirst() throws {
    for lengths in StoreKit1Sample.Lengths.allCases {
      let text = StoreKit1Sample.text(purchases, lengths: lengths)
      let receipt = try XCTUnwrap(StoreKit1Receipt(text), "\(lengths)")
      XCTAssertEqual(receipt.transactionIDs, ["1000000002", "1000000003", "1000000001", "1000000004"], "\(lengths)")
      // Lines of base64, as some apps send them.
      let lines = stride(from: 0, to: text.count, by: 64).map { text.dropFirst($0).prefix(64) }
        .joined(separator: "\r\n")
      XCTAssertEqual(StoreKit1Receipt(lines)?.transactionIDs.count, 4)
    }
    XCTAssertEqual(StoreKit1Receipt(StoreKit1Sample.text([]))?.transactionIDs, [])
  }

  func testOtherTextsAreNone() {
    let texts = ["", "M", "eyJh.eyJh.x", "eyJh", "{}", "hkdmnb.AO-J1Ox", "MIAB.x", "MI-AB", "test_1_x", "TUk="]
    for text in texts { XCTAssertNil(StoreKit1Receipt(text), text) }
    // The beginning of one is one, which names nothing.
    for text in ["MI", "MIIT", "MIIB=", "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A"] {
      XCTAssertEqual(StoreKit1Receipt(text)?.transactionIDs, [], text)
    }
  }

  func testIDsOfAnotherFormAreNone() {
    for id in ["", "..", "1/2", "1?", "ä", "1 2", String(repeating: "1", count: 65)] {
      XCTAssertFalse(StoreKit1Receipt.isTransactionID(id), id)
      // The original id stands in for it, unless that is none either.
      let found = StoreKit1Receipt(StoreKit1Sample.text([(id, "")]))?.transactionIDs ?? []
      XCTAssertTrue(found.allSatisfy(StoreKit1Receipt.isTransactionID), id)
    }
  }

  func testDeepAndLongValuesEnd() {
    let deep = [UInt8](repeating: 0, count: 200_000).indices.map { $0 % 2 == 0 ? UInt8(0x30) : 0x80 }
    let octets = [UInt8](repeating: 0, count: 200_000).indices.map { $0 % 2 == 0 ? UInt8(0x24) : 0x80 }
    let huge: [UInt8] = [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF, 1]
    for bytes in [deep, octets, huge, [0x30, 0x80], [0x30, 0x85, 1, 1, 1, 1, 1, 1]] {
      XCTAssertEqual(StoreKit1Receipt(Data(bytes).base64EncodedString())?.transactionIDs ?? [], [])
    }
  }

  /// Whatever the bytes, reading them ends, and gives ids of the right form at most.
  func testChangedReceiptsAreReadOrNot() {
    var random = SeededRandom(seed: 4_217)
    let originals = StoreKit1Sample.Lengths.allCases.map { StoreKit1Sample.receipt(purchases, lengths: $0) }
    for _ in 0..<4000 {
      var bytes = random.one(of: originals)
      for _ in 0..<(1 + random.below(8)) where bytes.count > 4 {
        // The first two bytes are what makes it a receipt.
        let place = 2 + random.below(bytes.count - 2)
        switch random.below(4) {
        case 0: bytes[place] = UInt8(random.below(256))
        case 1: bytes[place] ^= 1 << UInt8(random.below(8))
        case 2: bytes.removeLast(random.below(bytes.count - 2))
        default: bytes.insert(contentsOf: (0..<random.below(6)).map { _ in UInt8(random.below(256)) }, at: place)
        }
      }
      let receipt = StoreKit1Receipt(Data(bytes).base64EncodedString())
      XCTAssertTrue(receipt?.transactionIDs.allSatisfy(StoreKit1Receipt.isTransactionID) ?? true)
    }
  }
}
#endif
