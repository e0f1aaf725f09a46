package import GemLedger

/// The customers and ids that the commands of ``CommandRow`` are about.
package struct CommandScene {
  package var alice: CustomerID
  package var bob: CustomerID
  /// An anonymous id that names no customer.
  package var guest: CustomerID
  /// A spend of alice's.
  package var spend: TransactionID
  /// An open hold of alice's.
  package var hold: HoldID
  package var item: ItemID
  /// An instant to come.
  package var later: Timestamp
  /// Begins the ids of store transactions and orders.
  package var word: String
  package var number: Int64 = 1

  /// The scene of the digests that are compared for all time.
  package static func kept() throws -> CommandScene {
    let id = try TransactionID("019aa3f2-6c1e-7000-8000-00000a51c7e4")
    return CommandScene(
      alice: try Make.customer("alice"), bob: try Make.customer("bob"),
      guest: try Make.customer("$RCAnonymousID:" + String(repeating: "0", count: 32)), spend: id, hold: HoldID(id),
      item: try ItemID("life"), later: Timestamp(milliseconds: 1000), word: "t")
  }

  package func purchase() throws -> StorePurchase { try Make.purchase(word, quantity: 2) }

  package func opening() throws -> OrderOpening {
    OrderOpening(
      code: try code(), store: .apple, product: try ProductCode("gems_1200"), quantity: 2, request: "{}", key: nil,
      lifetimeMilliseconds: 1000, paidBy: nil)
  }

  package func code() throws -> PurchaseCode { try PurchaseCode("ORDER-\(word)") }
}

/// A kind of command, and the requirements on each of them.
package struct CommandRow {
  /// A place of the scene with the id of a customer.
  package typealias Name = WritableKeyPath<CommandScene, CustomerID>

  package let line: UInt
  package let make: (CommandScene) throws -> LedgerCommand
  /// The kind of its transaction; nil where it may book none.
  package let kind: EntryKind?
  /// Whether its key is looked up before all else.
  package let isKeyed: Bool
  /// Its digest in fingerprints for all time, worked out apart from the code; nil where another row has one.
  package let asked: Int64?
  /// The customers that it names.
  package let names: [Name]
  /// Books the commands that must come before it.
  package let prepare: (Ledger, CommandScene) throws -> Void

  init(
    _ kind: EntryKind?, asked: Int64? = nil, isKeyed: Bool = true, names: [Name] = [\.alice], line: UInt = #line,
    prepare: @escaping (Ledger, CommandScene) throws -> Void = { _, _ in },
    make: @escaping (CommandScene) throws -> LedgerCommand
  ) {
    self.line = line
    self.make = make
    self.kind = kind
    self.isKeyed = isKeyed
    self.asked = asked
    self.names = names
    self.prepare = prepare
  }

  /// Every command, once for each customer that it names, with that customer under the given id.
  package static func commands(
    naming id: CustomerID, in scene: CommandScene, except kind: EntryKind? = nil
  ) throws -> [LedgerCommand] {
    try all().filter { kind == nil || $0.kind != kind }.flatMap { row in
      try row.names.map { name in
        var scene = scene
        scene[keyPath: name] = id
        return try row.make(scene)
      }
    }
  }

  /// One row a kind at least.
  package static func all() throws -> [CommandRow] { try ofOneCustomer() + ofPurchases() + ofSeveral() }

  private static func ofOneCustomer() throws -> [CommandRow] {
    let (five, coin) = (try Make.amount("GEM", 5), try CurrencyCode("COIN"))
    return [
      CommandRow(.spend, asked: -7_219_129_448_901_871_392) {
        .adjust([Adjustment(five.currency, -50)], customer: $0.alice)
      },
      CommandRow(.grant) { .adjust([five], customer: $0.alice, source: .bonus) },
      CommandRow(.grant, asked: -6_498_553_512_352_786_740) {
        .grant([five, Adjustment(coin, 6)], customer: $0.alice)
      },
      CommandRow(.grant, asked: -6_498_540_638_197_572_695) {
        .grant([five], customer: $0.alice, expiresAt: $0.later)
      },
      CommandRow(.initial, asked: -5_922_092_765_116_012_900) { .openingBalance([five], customer: $0.alice) },
      CommandRow(.spend, asked: 2_134_778_280_039_940_098) { .buyItem($0.item, quantity: 2, customer: $0.alice) },
      CommandRow(.exchange, asked: -2_900_016_212_547_443_569) {
        .exchange(five, into: coin, rate: ExchangeRate(3, for: 2), customer: $0.alice)
      },
      CommandRow(.reversal, asked: -5_428_270_960_536_856_997, names: []) { .reverse($0.spend) },
      CommandRow(.reversal, asked: -5_428_354_350_347_597_878, names: []) { .reverse($0.spend, amounts: [five]) },
      CommandRow(.hold, asked: -5_059_827_313_444_710_491) { .hold([five], customer: $0.alice) },
      CommandRow(.capture, asked: -4_275_542_246_785_412_376, names: []) {
        .capture($0.hold, amounts: [five], keepsOpen: true)
      },
      CommandRow(.extend, asked: -3_698_895_792_038_370_523, names: []) { .extend($0.hold, for: .seconds(900)) },
      CommandRow(.release, asked: -8_838_297_526_584_389_923, names: []) { .release($0.hold) },
      CommandRow(.freeze, asked: 10 << 59) { .freeze($0.alice) },
      CommandRow(.unfreeze, asked: 11 << 59) { .unfreeze($0.alice) },
      CommandRow(nil, asked: 5 << 59, isKeyed: false, names: [\.guest]) { .createCustomer($0.guest) },
      CommandRow(nil, asked: keyless, isKeyed: false, names: []) { .bookDue($0.alice) },
      CommandRow(.erase, isKeyed: false) { .erase($0.alice) },
    ]
  }

  /// All commands without a key have one digest.
  private static let keyless = Int64(bitPattern: 31 << 59)

  private static func ofPurchases() throws -> [CommandRow] {
    let credit = { (ledger: Ledger, scene: CommandScene) in
      _ = try ledger.creditPurchase(scene.purchase(), customer: scene.alice)
    }
    let open = { (ledger: Ledger, scene: CommandScene) in
      _ = try ledger.book(.openOrder(scene.opening(), customer: scene.alice))
    }
    return [
      CommandRow(.purchase, asked: 2_514_701_677_690_399_467, isKeyed: false) {
        try .creditPurchase($0.purchase(), customer: $0.alice)
      },
      CommandRow(.refund, asked: -2_588_444_085_662_365_656, isKeyed: false, names: [], prepare: credit) {
        .refund(try Make.refund($0.word, .quantity(1)))
      },
      CommandRow(
        .reversedRefund, asked: -2_011_068_672_148_702_239, isKeyed: false, names: [],
        prepare: { ledger, scene in
          try credit(ledger, scene)
          try ledger.refund(Make.refund(scene.word))
        }, make: { .reverseRefund(try Make.reversal($0.word, revokedAt: 100)) }),
      CommandRow(nil, isKeyed: false) { .openOrder(try $0.opening(), customer: $0.alice) },
      CommandRow(.purchase, isKeyed: false, prepare: open) {
        .completeOrder(
          OrderCompletion(code: try $0.code(), purchase: try $0.purchase(), retryAfterMilliseconds: nil),
          customer: $0.alice)
      },
      CommandRow(nil, isKeyed: false, names: [], prepare: open) {
        .advanceOrder(try $0.code(), .fail, customer: $0.alice)
      },
      CommandRow(nil, isKeyed: false) { .registerToken(TokenNumber(high: 9, low: $0.number), customer: $0.alice) },
      CommandRow(nil, isKeyed: false, prepare: credit) {
        .holdEntitlement(
          store: .apple, environment: .production, transactionID: try StoreTransactionID($0.word), customer: $0.alice)
      },
    ]
  }

  private static func ofSeveral() throws -> [CommandRow] {
    let (five, coin) = (try Make.amount("GEM", 5), try CurrencyCode("COIN"))
    let merge = { (ledger: Ledger, scene: CommandScene) in
      _ = try ledger.merge(from: scene.bob, into: scene.alice)
    }
    let both: [Name] = [\.alice, \.bob]
    return [
      CommandRow(.transfer, names: both) { .transfer([five], from: $0.alice, to: $0.bob) },
      CommandRow(.mixed, asked: -8_585_833_302_046_844_572, names: both) {
        .basket(
          [
            .transfer([five], from: $0.alice, to: $0.bob),
            .grant([Adjustment(coin, 1)], customer: $0.alice, source: .earned),
          ], payer: $0.alice)
      },
      CommandRow(.merge, asked: 5_055_916_864_349_293_515, names: both) { .merge(from: $0.bob, into: $0.alice) },
      CommandRow(.merge, isKeyed: false, names: [\.alice, \.guest]) {
        .mergeAnonymous(from: $0.guest, into: $0.alice)
      },
      CommandRow(.merge, asked: 5_632_377_616_652_717_003, isKeyed: false, names: both) {
        .createAlias($0.bob, of: $0.alice)
      },
      CommandRow(.unmerge, asked: -1_729_382_256_910_270_464, names: [\.bob], prepare: merge) { .unmerge($0.bob) },
      CommandRow(.unmerge, names: both, prepare: merge) { .unmerge($0.bob, from: $0.alice) },
    ]
  }
}
