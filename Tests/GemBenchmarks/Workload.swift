package import GemLedger

/// The commands that the benchmarks book: spends of 1 GEM by customers drawn at random, each under a new key.
package struct Workload: Sendable {
  /// How keys are made.
  package enum Keys: Sendable {
    case timeOrdered
    case random
    case none
  }

  package let customers: [CustomerID]
  package let keys: Keys
  private var generator: SplitMix64
  private var milliseconds: Int64 = 1_790_000_000_000
  /// The number of concurrent callers; each caller's keys are spaced this many times further apart.
  private var drawers: UInt64 = 1

  package init(customerCount: Int, keys: Keys = .timeOrdered, seed: UInt64 = 42) throws {
    self.init(
      customers: try (0..<customerCount).map { try CustomerID("customer-\($0)") }, keys: keys, seed: seed)
  }

  package init(customers: [CustomerID], keys: Keys = .timeOrdered, seed: UInt64 = 42) {
    self.customers = customers
    self.keys = keys
    generator = SplitMix64(seed: seed)
  }

  package static let gem = CurrencyCode(exactly: "GEM")

  package mutating func next(reference: Reference? = nil, actor: ActorName? = nil) throws -> LedgerCommand {
    .adjust(
      [Adjustment(try CurrencyCode("GEM"), -1)], customer: customers[Int(generator.next() % UInt64(customers.count))],
      key: nextKey(), details: CommandDetails(reference: reference, actor: actor))
  }

  package mutating func next(_ count: Int) throws -> [LedgerCommand] { try (0..<count).map { _ in try next() } }

  private mutating func nextKey() -> IdempotencyKey? {
    switch keys {
    case .none: return nil
    case .timeOrdered:
      // About a hundred keys a millisecond, as under load.
      milliseconds += Int64((generator.next() % 100 + drawers) / 100)
      return .timeOrdered(at: Timestamp(milliseconds: milliseconds), using: &generator)
    case .random:
      return .timeOrdered(at: Timestamp(milliseconds: Int64(generator.next() >> 17)), using: &generator)
    }
  }

  /// Returns a separate workload for each caller.
  package func split(among callers: Int, round: UInt64) -> [Workload] {
    (0..<callers).map { caller in
      var own = self
      own.generator = SplitMix64(seed: round << 32 | UInt64(caller))
      own.drawers = UInt64(callers)
      own.milliseconds += Int64(round) * 1_000_000
      return own
    }
  }

  /// Grants every customer more GEM than any benchmark spends.
  package func open(_ ledger: Ledger) throws {
    try ledger.define(Currency(code: CurrencyCode("GEM"), name: "Gems"))
    var start = 0
    while start < customers.count {
      let end = min(customers.count, start + Limits.commandsPerGroup)
      let grants = try customers[start..<end].map { customer in
        LedgerCommand.grant([Adjustment(try CurrencyCode("GEM"), 1_000_000)], customer: customer)
      }
      for result in ledger.submit(grants) { _ = try result.get() }
      start = end
    }
  }
}

/// Steele, Lea and Flood's generator: small, seeded, good enough to draw customers.
package struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
