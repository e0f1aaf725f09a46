internal import GemLedger

/// The sums of each currency, and their comparison.
struct CurrencyTallies {
  /// The sums of one currency; 128 bits wide, so that damaged rows cannot overflow them.
  private struct Tally {
    var kinds: [EntryKind: Int128] = [:]
    var balances: Int128 = 0
    var debts: Int128 = 0
    var held: Int128 = 0
    var lots: Int128 = 0
    /// The amount in live lots that has expired but is not booked yet.
    var due: Int128 = 0
  }

  private let context: VerifyContext
  /// By currency number.
  private var tallies: [Int64: Tally] = [:]
  /// The currency of the last entry with a known currency.
  private var lastKnownCurrency: Int64?

  init(_ context: VerifyContext) {
    self.context = context
    for currency in context.definitions.currencies { tallies[currency.number] = Tally() }
  }

  mutating func checkCurrency(of entry: EntryRow) {
    let currency = entry.account.currency
    // Most entries have the currency of the previous entry.
    guard currency != lastKnownCurrency else { return }
    guard tallies[currency] != nil else {
      return context.report(
        "currencies_are_known", "entry \(entry.number) is in currency number \(currency), which is not defined")
    }
    lastKnownCurrency = currency
  }

  mutating func add(_ sums: EntrySums) {
    for currency in tallies.keys {
      for kind in EntryKind.allCases {
        if let sum = sums.sum(kind, currency: currency) { tallies[currency]?.kinds[kind, default: 0] += sum }
      }
    }
  }

  mutating func add(_ row: AccountRow) {
    let currency = row.number.currency
    tallies[currency]?.balances += Int128(row.balance)
    tallies[currency]?.debts += Int128(row.debt)
    tallies[currency]?.held += Int128(row.held)
  }

  /// Adds the remaining amount of a lot.
  mutating func add(_ amount: Int64, currency: Int64, expiresAt: Int64) {
    tallies[currency]?.lots += Int128(amount)
    if expiresAt <= context.asOf.milliseconds { tallies[currency]?.due += Int128(amount) }
  }

  func check() {
    for (number, tally) in tallies.inKeyOrder {
      let entries = tally.kinds.values.reduce(0, +)
      if entries != tally.balances - tally.debts {
        context.report(
          "entries_make_the_balances", currency: number,
          "the entries of all kinds add up to \(entries), balances minus debts to \(tally.balances - tally.debts)")
      }
      if tally.balances != tally.lots + tally.held {
        context.report(
          "lots_make_the_balances", currency: number,
          "the balances add up to \(tally.balances), the live lots to \(tally.lots), and \(tally.held) are held")
      }
      let moved = tally.kinds[.transfer] ?? 0
      if moved != 0 {
        context.report(
          "transfers_cancel_out", currency: number, "transfers between customers add up to \(moved), not to 0")
      }
    }
  }

  func books() -> [Verification.Books] {
    context.definitions.currencies.map { currency in
      let tally = tallies[currency.number] ?? Tally()
      var kinds = tally.kinds
      // Due expiries count as booked.
      if tally.due != 0 { kinds[.expiry, default: 0] -= tally.due }
      return Verification.Books(
        currency: currency.code, kinds: kinds.mapValues { Int64(clamping: $0) },
        outstanding: Int64(clamping: tally.balances - tally.due), held: Int64(clamping: tally.held),
        debt: Int64(clamping: tally.debts))
    }
  }
}
