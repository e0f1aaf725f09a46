internal import GemLedgerAudit
import XCTest

@testable package import GemLedger

/// The worth of an account at an instant has one answer: every read gives it, at any later time.
///
/// Commands come singly and in groups, time passes by every kind of event, and catalogs change in between.
package struct MomentContract {
  private let time = ManualClock()
  private let ledger: Ledger
  private var stream: EconomyStream
  private var known: [InstantReads] = []

  package init(generator: SeededRandom, make: (LedgerClock) throws -> Ledger) throws {
    stream = EconomyStream(generator: generator)
    ledger = try make(time.clock)
    try ledger.apply(EconomyStream.catalog())
  }

  /// The values read of one customer.
  private struct CustomerReads: Equatable {
    let balances: [Balance]
    let statement: Statement
  }

  /// The values read at an instant.
  private struct InstantReads {
    let at: Timestamp
    let unspent: Unspent
    let customers: [CustomerID: CustomerReads]
  }

  private struct Difference: Error {}

  private var seed: UInt64 { stream.generator.seed }

  /// Runs about so many commands, up to the first difference.
  package mutating func run(_ count: Int) throws {
    do { try play(count) } catch is Difference {}
    ledger.close()
  }

  private mutating func play(_ count: Int) throws {
    var done = 0
    while done < count {
      if known.isEmpty, done > count / 4 { try look() }
      switch stream.generator.below(100) {
      case 0..<18: advance()
      case 18..<24: try look()
      case 24..<26: try ledger.apply(EconomyStream.catalog(changedBy: &stream.generator))
      case 26..<28: try ledger.sweep()
      case 28..<31: try lookAgain(at: known.suffix(3))
      case 31..<50: done += try submit(2 + stream.generator.below(12))
      default: done += try submit(1)
      }
    }
    // Longer than any hold lasts.
    time.advance(seconds: 40 * 86_400)
    try look()
    try ledger.sweep()
    time.advance(seconds: 1)
    XCTAssertGreaterThan(known.count, 1, "seed \(seed)")
    try lookAgain(at: known[...])
    try assertBooksAddUp(ledger)
  }

  // MARK: Commands

  private mutating func advance() {
    let most = stream.generator.one(of: [40, 40, 600, 5000, 100_000, 1_000_000])
    time.advance(seconds: Int64(stream.generator.below(most)))
  }

  private mutating func submit(_ count: Int) throws -> Int {
    var commands = try (0..<count).map { _ in try stream.command(now: time.now) }
    // An erased customer cannot be asked about again.
    commands.removeAll { if case .erase = $0.body.action { true } else { false } }
    for (command, answer) in zip(commands, ledger.submit(commands)) {
      switch answer {
      case .success(let booking): stream.heard(booking)
      case .failure(let error):
        // Problems of the rows are never the command's fault.
        if error.code == .storageDamaged || error.code == .unexpected {
          XCTFail("seed \(seed): \(command.body.action): \(error)")
          throw Difference()
        }
      }
    }
    return count
  }

  // MARK: Reads

  private mutating func look() throws {
    let at = time.now
    var customers: [CustomerID: CustomerReads] = [:]
    let listed = try ledger.everyCustomer()
    for customer in listed {
      let reads = try reads(of: customer.id, at: nil)
      try assertOneAnswer(reads, customer)
      customers[customer.id] = reads
    }
    known.append(InstantReads(at: at, unspent: try ledger.unspent(at: at), customers: customers))
    time.advance(seconds: 1)
  }

  /// - Parameter instant: Nil to ask as now is asked for.
  private func reads(of customer: CustomerID, at instant: Timestamp?) throws -> CustomerReads {
    let until = Timestamp(milliseconds: (instant ?? time.now).milliseconds + 1)
    let from = Timestamp(milliseconds: until.milliseconds - 3 * 86_400_000)
    return CustomerReads(
      balances: try ledger.balances(of: customer, at: instant),
      statement: try ledger.statement(of: customer, from: from, until: until, limit: 1000))
  }

  /// Every list and report gives the balance that the balance's own read gives.
  private func assertOneAnswer(_ reads: CustomerReads, _ customer: CustomerSummary) throws {
    let split = try ledger.split(of: customer.id)
    for balance in reads.balances {
      let about = "seed \(seed): \(balance.currency) of \(customer.id) at \(time.now)"
      let listed = customer.balances.first { $0.currency == balance.currency }
      try assertEqual(listed ?? balance, balance, "\(about) in the list")
      if listed == nil { try assertEqual(balance.balance, 0, "\(about) is not in the list") }
      try assertEqual(try ledger.balance(of: balance.currency, customer: customer.id), balance, about)
      let explanation = try ledger.explain(balance.currency, customer: customer.id, limit: 1000)
      try assertEqual(explanation.balance, balance, "\(about) explained")
      let lots = explanation.lots.reduce(0) { $0 + $1.remaining + $1.held }
      try assertEqual(lots, balance.balance, "\(about) by its lots")
      try assertEqual(explanation.holds.reduce(0) { $0 + $1.amount }, balance.held, "\(about) by its holds")
      let parts = split.filter { $0.currency == balance.currency }.reduce(0) { $0 + $1.paid + $1.free }
      try assertEqual(parts, balance.balance, "\(about) split")
      guard let stated = reads.statement.currencies.first(where: { $0.currency == balance.currency }) else {
        continue
      }
      try assertEqual(
        [stated.closing.balance, stated.closing.held, stated.closing.debt],
        [balance.balance, balance.held, balance.debt], "\(about) stated")
      let net = stated.opening.balance - stated.opening.debt + stated.opening.due
      try assertEqual(
        net + stated.totals.values.reduce(0, +) - stated.closing.due, balance.balance - balance.debt,
        "\(about) by its statement")
    }
  }

  private func lookAgain(at moments: ArraySlice<InstantReads>) throws {
    for moment in moments where moment.at < time.now {
      try assertEqual(try ledger.unspent(at: moment.at), moment.unspent, "seed \(seed): unspent at \(moment.at)")
      for (customer, reads) in moment.customers {
        let now = try self.reads(of: customer, at: moment.at)
        try assertEqual(now.balances, reads.balances, "seed \(seed): \(customer) at \(moment.at)")
        try assertEqual(now.statement, reads.statement, "seed \(seed): \(customer) until \(moment.at)")
      }
    }
  }

  private func assertEqual<Value: Equatable>(_ found: Value, _ expected: Value, _ about: String) throws {
    guard found != expected else { return }
    XCTFail("\(about):\nfound    \(found)\nexpected \(expected)")
    throw Difference()
  }
}
