import XCTest

@testable package import GemLedger

/// A list of commands gives the same as its commands one after the other, however many share a group.
package struct ListContract {
  /// One of two ledgers that hear the same script, each by its own numbers.
  private struct Run {
    var stream: EconomyStream
    let ledger: Ledger

    mutating func list(_ count: Int, now: Timestamp) throws -> [LedgerCommand] {
      try (0..<count).map { _ in try stream.command(now: now) }
    }

    mutating func heard(_ results: [Result<Booking, LedgerError>]) {
      for case .success(let booking) in results { stream.heard(booking) }
    }
  }

  private let generator: SeededRandom
  private let comparesLots: Bool
  private let make: (LedgerClock) throws -> Ledger

  /// - Parameters:
  ///   - comparesLots: Whether lots are compared too. Of those that were made within one millisecond in two lanes,
  ///     which is the older one is a matter of the lanes.
  ///   - make: Makes an empty ledger over the storage.
  package init(generator: SeededRandom, comparesLots: Bool = true, make: @escaping (LedgerClock) throws -> Ledger) {
    self.generator = generator
    self.comparesLots = comparesLots
    self.make = make
  }

  /// - Parameter size: How many commands a list has at most.
  package func run(lists: Int, of size: Int, line: UInt = #line) throws {
    let time = ManualClock()
    var cuts = generator
    var listed = Run(stream: EconomyStream(generator: generator), ledger: try make(time.clock))
    var single = Run(stream: EconomyStream(generator: generator), ledger: Ledger.inMemory(clock: time.clock, salt: 1))
    for run in [listed, single] { try run.ledger.apply(EconomyStream.catalog()) }
    for number in 0..<lists {
      if cuts.percent(25) {
        let catalog = try EconomyStream.catalog(changedBy: &cuts)
        for run in [listed, single] { try run.ledger.apply(catalog) }
      }
      let size = 1 + cuts.below(size)
      let answers = Self.cut(try listed.list(size, now: time.now)).flatMap(listed.ledger.submit)
      let expected = try single.list(size, now: time.now).map { single.ledger.submit([$0])[0] }
      listed.heard(answers)
      single.heard(expected)
      for (position, (answer, expected)) in zip(answers, expected).enumerated() {
        guard text(answer) == text(expected) else {
          return XCTFail(
            "seed \(generator.seed), list \(number), command \(position): in the list\n  \(text(answer))\nby itself\n  "
              + text(expected), line: line)
        }
      }
      // Where they spent other lots of the same age, later expiries have other amounts.
      if !comparesLots, zip(answers, expected).contains(where: { Self.sources($0) != Self.sources($1) }) { break }
      time.advance(seconds: Int64(cuts.percent(8) ? cuts.below(200_000) : cuts.below(600)))
    }
    try assertBooksAddUp(listed.ledger, line: line)
    listed.ledger.close()
  }

  /// Cuts a list before and after each erasure: a group knows no more about a customer that it erases.
  private static func cut(_ commands: [LedgerCommand]) -> [[LedgerCommand]] {
    var lists: [[LedgerCommand]] = [[]]
    for command in commands {
      if case .erase = command.body.action {
        lists += [[command], []]
      } else {
        lists[lists.count - 1].append(command)
      }
    }
    return lists
  }

  private static func sources(_ answer: Result<Booking, LedgerError>) -> [[String]] {
    guard let booking = try? answer.get() else { return [] }
    return booking.entries.map { $0.allocations.map { "\($0.source) \($0.amount)" } }
  }

  /// An answer without numbers and versions.
  ///
  /// The first command that finds a hold past its deadline books that end, and accounts may expect it too early.
  private func text(_ result: Result<Booking, LedgerError>) -> String {
    switch result {
    case .failure(let error): return "refused \(error.code) \(error.isReplayed)"
    case .success(let booking):
      let entries = booking.entries.map { entry in
        let lots = comparesLots ? entry.allocations.map { "\($0.source) \($0.amount)" } : []
        return "\(entry.currency) \(entry.kind) \(entry.amount) to \(entry.balance) owing \(entry.debt) \(lots)"
      }
      let hold = booking.hold.map { "\($0.amounts) \($0.balances) \($0.available)" } ?? ""
      return "\(booking.kind) \(booking.createdAt) \(entries) \(booking.items) \(hold)"
    }
  }
}
