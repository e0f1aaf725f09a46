import GemTestSupport
import XCTest

@testable import GemLedger

final class FingerprintTests: XCTestCase {
  private typealias Row = (line: UInt, one: LedgerCommand, other: LedgerCommand, field: String?)

  private func check(_ rows: [Row]) {
    for row in rows {
      let (one, other) = (Fingerprint(of: row.one), Fingerprint(of: row.other))
      XCTAssertEqual(one.differingField(from: row.other.body), row.field, line: row.line)
      XCTAssertEqual(other.differingField(from: row.one.body), row.field, line: row.line)
    }
  }

  func testNamesTheFieldThatDiffers() throws {
    let alice = try Make.customer("alice")
    let (gem, coin) = (try Make.amount("GEM", 1), try Make.amount("COIN", 2))
    let adjust = LedgerCommand.adjust([gem], customer: alice)
    var conditional = adjust
    conditional.conditions = [.version(gem.currency, 1)]
    var referring = adjust
    referring.reference = try Reference("order 1")
    var chatty = adjust
    (chatty.reason, chatty.actor, chatty.key) = (try Reason("why"), try ActorName("who"), try Make.key("k"))
    let life = LedgerCommand.buyItem(try ItemID("life"), customer: alice)
    check([
      (#line, adjust, adjust, nil), (#line, adjust, chatty, nil),
      (#line, .adjust([gem, coin], customer: alice), .adjust([coin, gem], customer: alice), nil),
      (#line, adjust, .adjust([gem], customer: alice, source: .bonus), "source"),
      (#line, adjust, .adjust([gem], customer: alice, environment: .sandbox), "environment"),
      (#line, adjust, .adjust([coin], customer: alice), "adjustments"),
      (#line, adjust, .adjust([gem, coin], customer: alice), "adjustments"),
      (#line, adjust, .grant([gem], customer: alice), "kind"), (#line, adjust, life, "kind"),
      (#line, .grant([gem], customer: alice), .openingBalance([gem], customer: alice), "kind"),
      (#line, life, .buyItem(try ItemID("life"), quantity: 2, customer: alice), "quantity"),
      (#line, life, .buyItem(try ItemID("lif"), customer: alice), "item"), (#line, life, life.declaringStock, nil),
      (#line, adjust, conditional, "conditions"), (#line, adjust, referring, "reference"),
      (#line, conditional, referring, "conditions"),
    ])
  }

  func testNamesTheFieldOfAGrant() throws {
    let (alice, gem) = (try Make.customer("alice"), try Make.amount("GEM", 1))
    for make in [LedgerCommand.grant, LedgerCommand.openingBalance] {
      let until = { (instant: Int64?) in
        make([gem], alice, nil, .admin, .production, instant.map(Timestamp.init(milliseconds:)), CommandDetails())
      }
      let two = make([try Make.amount("GEM", 2)], alice, nil, .admin, .production, nil, CommandDetails())
      check([
        (#line, until(nil), two, "adjustments"),
        (#line, until(1), until(2), "expires_at"), (#line, until(1), until(nil), "expires_at"),
        (#line, until(.max), until(.min), "expires_at"), (#line, until(7), until(7), nil),
        (
          #line, try make([gem], alice, nil, .admin, .localTesting(session: "1"), nil, CommandDetails()),
          try make([gem], alice, nil, .admin, .localTesting(session: "2"), nil, CommandDetails()), "environment"
        ),
        (
          #line, until(nil), try make([gem], alice, nil, .admin, .xcode(session: "1"), nil, CommandDetails()),
          "environment"
        ),
      ])
      for source in LotSource.allCases where source != .admin {
        check([(#line, until(nil), make([gem], alice, nil, source, .production, nil, CommandDetails()), "source")])
      }
    }
  }

  func testNamesTheFieldOfAPurchaseOrARefund() throws {
    let alice = try Make.customer("alice")
    func refund(_ change: (inout StoreRefund) -> Void = { _ in }) throws -> LedgerCommand {
      var refund = try Make.refund("t")
      change(&refund)
      return .refund(refund)
    }
    let buy = LedgerCommand.creditPurchase(try Make.purchase("a"), customer: alice)
    let back = LedgerCommand.reverseRefund(try Make.reversal("t"))
    let other = try StoreTransactionID("u")
    check([
      (#line, buy, .creditPurchase(try Make.purchase("b"), customer: alice), "purchase"),
      (#line, buy, .creditPurchase(try Make.purchase("a", store: .google), customer: alice), "purchase"),
      (#line, buy, .creditPurchase(try Make.purchase("a", environment: .sandbox), customer: alice), "purchase"),
      (#line, try refund(), try refund { $0.transactionID = other }, "refund"),
      (#line, try refund(), try refund { $0.store = .google }, "refund"),
      (#line, try refund(), try refund { $0.environment = .sandbox }, "refund"),
      (#line, try refund(), try refund { $0.revokedAt = Timestamp(milliseconds: 1) }, "revoked_at"),
      (#line, try refund(), try refund { $0.extent = .quantity(1) }, "extent"),
      (#line, try refund { $0.extent = .milliPercent(1) }, try refund { $0.extent = .quantity(1) }, "extent"),
      // The date of the signature is the delivery's.
      (#line, try refund(), try refund { $0.signedAt = Timestamp(milliseconds: 1) }, nil),
      (#line, back, .reverseRefund(try Make.reversal("u")), "refund"),
      (#line, back, .reverseRefund(try Make.reversal("t", environment: .sandbox)), "refund"),
      (#line, back, .reverseRefund(try Make.reversal("t", revokedAt: 0)), "revoked_at"),
      (#line, back, .reverseRefund(try Make.reversal("t", signedAt: 1)), nil), (#line, back, try refund(), "kind"),
    ])
  }

  func testNamesTheFieldOfTheOthers() throws {
    let (alice, bob) = (try Make.customer("alice"), try Make.customer("bob"))
    let (one, two) = (try [Make.amount("GEM", 1)], try [Make.amount("GEM", 2)])
    let (id, other) = (TransactionID(high: 1, low: 2), TransactionID(high: 1, low: 3))
    let (hold, otherHold) = (HoldID(id), HoldID(other))
    let (coin, ore) = (try CurrencyCode("COIN"), try CurrencyCode("ORE"))
    let (gem, rate) = (one[0], ExchangeRate(1, for: 2))
    let exchange = LedgerCommand.exchange(gem, into: coin, rate: rate, customer: alice)
    func into(_ code: CurrencyCode, _ rate: ExchangeRate) -> LedgerCommand {
      .exchange(gem, into: code, rate: rate, customer: alice)
    }
    let life = try ItemID("life")
    func basket(_ leg: BasketLeg) -> LedgerCommand { .basket([leg], payer: alice) }
    check([
      (#line, .reverse(id), .reverse(other), "transaction"),
      (#line, .reverse(id), .reverse(id, amounts: one), "adjustments"),
      (#line, .reverse(id, amounts: one), .reverse(id, amounts: two), "adjustments"),
      (#line, .hold(one, customer: alice), .hold(two, customer: alice), "adjustments"),
      (#line, .hold(one, customer: alice), .hold(one, customer: alice, for: .seconds(1)), "duration"),
      (#line, .capture(hold), .capture(otherHold), "hold"),
      (#line, .capture(hold), .capture(hold, amounts: one), "adjustments"),
      (#line, .capture(hold), .capture(hold, keepsOpen: true), "keep_open"),
      (#line, .extend(hold, for: .seconds(1)), .extend(otherHold, for: .seconds(1)), "hold"),
      (#line, .extend(hold, for: .seconds(1)), .extend(hold, for: .seconds(2)), "duration"),
      (#line, .release(hold), .release(otherHold), "hold"),
      (#line, exchange, .exchange(two[0], into: coin, rate: rate, customer: alice), "from"),
      (#line, exchange, into(ore, rate), "into"), (#line, exchange, into(coin, ExchangeRate(2, for: 2)), "rate"),
      (#line, exchange, into(coin, ExchangeRate(1, for: 1)), "rate"),
      (#line, exchange, into(coin, ExchangeRate(1, for: 2, rounding: .up)), "rate"),
      (#line, .merge(from: bob, into: alice), .merge(from: try Make.customer("carol"), into: alice), "from"),
      (#line, .unmerge(bob), .unmerge(bob, from: alice), "from"),
      (#line, .merge(from: bob, into: alice), .unmerge(alice, from: bob), "kind"),
      (#line, .freeze(alice), .unfreeze(alice), "kind"),
      (#line, basket(.transfer(one, from: alice, to: bob)), basket(.transfer(two, from: alice, to: bob)), "legs"),
      (#line, basket(.transfer(one, from: alice, to: bob)), basket(.transfer(one, from: bob, to: alice)), "legs"),
      (#line, basket(.spend(one, customer: alice)), basket(.spend(one, customer: bob)), "legs"),
      (#line, basket(.spend(one, customer: alice)), basket(.spend(two, customer: alice)), "legs"),
      (
        #line, basket(.grant(one, customer: alice, source: .earned)),
        basket(.grant(one, customer: alice, source: .bonus)),
        "legs"
      ),
      (
        #line, basket(.item(life, quantity: 1, from: alice, to: bob)),
        basket(.item(life, quantity: 2, from: alice, to: bob)), "legs"
      ),
      (
        #line, basket(.item(life, quantity: 1, from: alice, to: bob)),
        basket(.item(try ItemID("sword"), quantity: 1, from: alice, to: bob)), "legs"
      ),
    ])
  }

  /// A new field of a command must be covered, or be listed here as no part of the request.
  func testEveryFieldOfWhatIsAskedIsKnown() throws {
    let purchase = ["store", "environment", "transactionID"]
    let amounts = [try Make.amount("GEM", 1)]
    let rows: [(line: UInt, value: Any, covered: [String], others: [String])] = [
      (
        #line,
        AdjustCommand(
          adjustments: amounts, source: .admin, environment: .production, expiresAt: nil, createsCustomer: true),
        ["adjustments", "source", "environment", "expiresAt", "createsCustomer", "isOpening"], []
      ),
      (#line, amounts[0], ["currency", "amount"], []),
      (
        #line, CaptureCommand(hold: HoldID(TransactionID(high: 1, low: 2)), amounts: nil, keepsOpen: false),
        ["hold", "amounts", "keepsOpen"], []
      ),
      (
        #line,
        ExchangeCommand(from: amounts[0], into: amounts[0].currency, rate: ExchangeRate(1, for: 1)),
        ["from", "into", "rate"], []
      ),
      (#line, ExchangeRate(1, for: 1), ["numerator", "denominator", "rounding"], []),
      (#line, StoreEnvironment.production, ["kind", "session"], []),
      // The identity is the store's: a delivery that says something else of the same transaction is answered as the
      // first.
      (
        #line, try Make.purchase("t"), purchase,
        [
          "product", "quantity", "price", "purchasedAt", "cycleEndsAt", "originalTransactionID", "terms",
          "unknownBuyer", "statedAt",
          "statement",
        ]
      ),
      (#line, try Make.refund("t"), purchase + ["revokedAt", "extent"], ["signedAt", "statement"]),
      (#line, try Make.reversal("t"), purchase + ["revokedAt"], ["signedAt", "statement"]),
    ]
    for row in rows {
      let fields = Mirror(reflecting: row.value).children.compactMap(\.label)
      XCTAssertEqual(Set(fields), Set(row.covered + row.others), line: row.line)
    }
    // And no two kinds are one, nor can a kind pass its five bits.
    XCTAssertTrue(FingerprintKind.allCases.allSatisfy { $0.rawValue < 32 })
    for row in try Self.kept() {
      let fields = type(of: row.command.body.action.command).keyFields
      guard !fields.named.isEmpty, fields.rest != "quantity" else { continue }
      XCTAssertEqual(fields.named.reduce(0) { $0 + $1.bits }, 59 - KeyFields.wholeBits, line: row.line)
    }
  }

  // MARK: For all time

  /// Fingerprints are kept for ever, so they may never change.
  func testIsTheSameForAllTime() throws {
    let rows = try Self.kept()
    let kinds = rows.map { UInt64(bitPattern: $0.now) >> 59 }
    XCTAssertEqual(Set(kinds), Set(FingerprintKind.allCases.map(\.rawValue)))
    for row in rows {
      XCTAssertEqual(Fingerprint(of: row.command).asked, row.now, "\(row.command)", line: row.line)
      XCTAssertEqual(Fingerprint(of: row.command).qualifiers, 0, line: row.line)
      let kept = Fingerprint(asked: row.now, qualifiers: 0)
      XCTAssertNil(kept.differingField(from: row.command.body), line: row.line)
      for other in rows where other.line != row.line {
        XCTAssertNotNil(kept.differingField(from: other.command.body), line: row.line)
      }
    }
  }

  /// The rows with digests that were worked out apart from this code.
  private static func kept() throws -> [(line: UInt, command: LedgerCommand, now: Int64)] {
    let scene = try CommandScene.kept()
    return try CommandRow.all().compactMap { row in
      try row.asked.map { (row.line, try row.make(scene), $0) }
    }
  }
}
