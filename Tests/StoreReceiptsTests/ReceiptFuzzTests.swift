#if Receipts
import Foundation
import GemLedger
import GemTestSupport
import StoreBackend
import XCTest

@testable import StoreReceipts

/// Random inputs for every reader of signed texts: none crashes, none is accepted, every refusal names its check.
///
/// `GEMLEDGER_FUZZ=1000000` makes a million inputs; with `--sanitize=address` under the address sanitizer.
final class ReceiptFuzzTests: XCTestCase {
  private static let authority = LocalAuthority()

  func testRandomInputs() throws {
    let environment = ProcessInfo.processInfo.environment
    let count = environment["GEMLEDGER_FUZZ"].flatMap(Int.init) ?? Tier.current.length(1000, thorough: 20_000)
    var random = SeededRandom(seed: environment["GEMLEDGER_SEED"].flatMap(UInt64.init) ?? 22)
    let targets = try Targets(Self.authority)
    for number in 0..<count {
      let (text, isIntact) = targets.input(&random)
      guard !isIntact else { continue }
      for (name, read) in targets.readers {
        do throws(LedgerError) {
          try read(text)
          XCTFail("\(name) accepted input \(number) of seed \(random.seed): \(text.prefix(200))")
        } catch {
          XCTAssertNotNil(error.text("check"), "\(name), input \(number) of seed \(random.seed): \(error)")
        }
      }
    }
  }

  func testTheFuzzerCanFail() throws {
    let targets = try Targets(Self.authority)
    XCTAssertNoThrow(try targets.readers[0].read(targets.samples[0]))
    XCTAssertNoThrow(try targets.readers[1].read(targets.samples[1]))
    XCTAssertNoThrow(try targets.readers[2].read(targets.samples[2]))
  }
}

/// What is attacked, and with what.
private struct Targets {
  let samples: [String]
  let readers: [(name: String, read: @Sendable (String) throws(LedgerError) -> Void)]

  init(_ authority: LocalAuthority) throws {
    let verifier = try Samples.verifier(authority)
    let receipts = try LocalReceipts(authority: authority, environment: .sandbox)
    let play = LocalPlayReceipts(key: PlayKey(), environment: .sandbox)
    var bought = Samples.transaction()
    bought.store = .google
    samples = [
      authority.token(),
      receipts.notification("REFUND", id: "1", about: Samples.transaction(), at: Samples.signedAt),
      play.receipt(for: bought).text,
    ]
    readers = [
      ("transaction", { text throws(LedgerError) in _ = try verifier.transaction(text) }),
      ("notification", { text throws(LedgerError) in _ = try verifier.notification(text) }),
      ("play", { text throws(LedgerError) in _ = try play.verify(StoreReceipt(text)) }),
    ]
    // From now on the chain is in the cache: inputs go further in less time.
    for (sample, reader) in zip(samples, readers) { try reader.read(sample) }
  }

  /// A damaged sample, or noise; and whether it is a sample after all.
  func input(_ random: inout SeededRandom) -> (String, isIntact: Bool) {
    var bytes = Array(samples[random.below(samples.count)].utf8)
    switch random.below(8) {
    case 0: bytes = (0..<random.below(400)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    case 1: bytes = (0..<random.below(400)).map { _ in Self.marks[random.below(Self.marks.count)] }
    case 2: bytes.removeLast(random.below(bytes.count) + 1)
    case 3: bytes.removeFirst(random.below(bytes.count) + 1)
    case 4: bytes.insert(Self.marks[random.below(Self.marks.count)], at: random.below(bytes.count))
    case 5: bytes = payloadChanged(&random)
    default:
      for _ in 0...random.below(3) { bytes[random.below(bytes.count)] ^= UInt8(1 << random.below(8)) }
    }
    let text = String(decoding: bytes, as: UTF8.self)
    return (text, samples.contains { $0.hasBytes(of: text) || Self.isSamePurchase($0, text) })
  }

  /// White space around a purchase and its signature changes neither.
  private static func isSamePurchase(_ sample: String, _ text: String) -> Bool {
    func receipt(_ text: String) -> PlayReceipt? { try? PlayReceipt(text, byteCountMax: PlayVerifier.byteCountMax) }
    return receipt(sample).map { $0 == receipt(text) } ?? false
  }

  /// A token whose header or payload has damaged JSON in good base64url.
  private func payloadChanged(_ random: inout SeededRandom) -> [UInt8] {
    var parts = samples[random.below(2)].split(separator: ".").map(String.init)
    let index = random.below(2)
    var json = Base64URL.decode(parts[index]) ?? []
    json[random.below(json.count)] = Self.marks[random.below(Self.marks.count)]
    parts[index] = Base64URL.text(json)
    return Array(parts.joined(separator: ".").utf8)
  }

  private static let marks = Array(".{}[]\",:\\eE-+0123456789 =_/\u{0}\u{7F}ABab".utf8)
}
#endif
