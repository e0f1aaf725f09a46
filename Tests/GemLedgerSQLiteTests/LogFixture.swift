import Foundation
import GemLedger
import GemLedgerAudit
import GemLedgerSQLite
import GemTestSupport
import XCTest

/// The bytes of a ledger's file and of its write-ahead log at one moment.
struct LedgerFiles {
  var database: [UInt8]
  var log: [UInt8]

  static let headerByteCount = 32
  static let frameByteCount = 24 + 4096

  init(at path: String) throws {
    database = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    log = FileManager.default.contents(atPath: path + "-wal").map { Array($0) } ?? []
  }

  func write(to path: String) throws {
    try Data(database).write(to: URL(fileURLWithPath: path))
    try Data(log).write(to: URL(fileURLWithPath: path + "-wal"))
  }

  var frameCount: Int { max(0, log.count - Self.headerByteCount) / Self.frameByteCount }

  /// The frames, from 1, that end a commit.
  var commitFrames: [Int] {
    (1...max(1, frameCount)).filter { frame in
      guard frame <= frameCount else { return false }
      let offset = Self.headerByteCount + (frame - 1) * Self.frameByteCount
      return log[offset + 4..<offset + 8].contains { $0 != 0 }
    }
  }
}

/// A ledger that grants its customers one gem at a time, each with a key, so that losses can be counted.
struct CountedLedger {
  let path: String
  let ledger: Ledger
  private(set) var bookedCount = 0

  static let customers = 40

  static func create(at path: String, clock: LedgerClock) throws -> CountedLedger {
    let ledger = try Ledger.createSQLite(at: path, clock: clock, salt: 1)
    try ledger.apply(Make.catalog())
    var counted = CountedLedger(path: path, ledger: ledger)
    for position in 0..<customers {
      try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("c\(position)"))
      counted.bookedCount += 1
    }
    return counted
  }

  /// Opens it as another process would after this one was ended.
  static func open(at path: String, clock: LedgerClock) throws -> CountedLedger {
    var counted = CountedLedger(path: path, ledger: try Ledger.openSQLite(at: path, clock: clock))
    counted.bookedCount = try counted.count()
    return counted
  }

  private init(path: String, ledger: Ledger) {
    self.path = path
    self.ledger = ledger
  }

  /// Books one command; now and then one that takes many pages.
  mutating func book(_ generator: inout SeededRandom) throws {
    let customers = generator.percent(25) ? 2 + generator.below(30) : 1
    let commands = try (0..<customers).map { position in
      let key = try Make.key("k\(bookedCount + position)")
      let customer = try Make.customer("c\(generator.below(Self.customers))")
      return LedgerCommand.grant([try Make.amount("GEM", 1)], customer: customer, key: key)
    }
    for command in commands {
      try ledger.book(command)
      bookedCount += 1
    }
  }

  /// How many of its bookings the ledger has: the last that its file knows, and none before it is missing.
  func count() throws -> Int {
    let verification = try ledger.verify()
    XCTAssertEqual(verification.problems.map(\.description), [])
    return Int(verification.transactions)
  }
}
