internal import Foundation
package import GemLedger
internal import GemLedgerAudit
internal import XCTest

/// Runs a seeded stream of all commands against a ledger, and checks the results against the twelve invariants.
package struct InvariantContract {
  /// How the contract asks the ledger; control runs put something wrong in between.
  package struct Access {
    package var book: (Ledger, LedgerCommand) throws -> Booking = { try $0.book($1) }
    package var preview: (Ledger, LedgerCommand) throws -> Booking = { try $0.preview($1) }
    package var sweep: (Ledger) throws -> Void = { _ = try $0.sweep() }
    package var read: (Ledger) throws -> EconomyRows = { try EconomyRows($0) }

    package init() {}
  }

  /// Makes the ledger anew over the same storage, where that can be.
  package typealias Reopen = (Ledger, LedgerClock) throws -> Ledger

  private var stream: EconomyStream
  private let time = ManualClock()
  private var ledger: Ledger
  private let reopen: Reopen
  private let access: Access
  private var breaches: [Breach] = []
  private var answers: [Answered] = []
  private var acknowledged: Set<TransactionNumber> = []
  private var noticeDate: Int64 = 1000

  private struct Answered {
    let command: LedgerCommand
    let answer: String
    /// Whether it is a notice of the store: notices are answered before keys are looked at, with their last effect.
    let isNotice: Bool
  }

  package init(
    generator: SeededRandom, access: Access = Access(), reopen: @escaping Reopen = { ledger, _ in ledger },
    make: (LedgerClock) throws -> Ledger
  ) throws {
    stream = EconomyStream(generator: generator)
    self.access = access
    self.reopen = reopen
    ledger = try make(time.clock)
    try ledger.apply(EconomyStream.catalog())
  }

  /// Runs about so many commands and fails where an invariant is broken.
  ///
  /// - Returns: All rows at the end, to compare with those of another storage.
  package mutating func run(_ count: Int) throws -> EconomyRows {
    let (rows, breaches) = try findBreaches(count)
    for breach in breaches.prefix(5) { XCTFail("seed \(stream.generator.seed): \(breach)") }
    return rows
  }

  /// The same, for control runs: gives the breaches instead.
  package mutating func findBreaches(_ count: Int) throws -> (rows: EconomyRows, breaches: [Breach]) {
    var done = 0
    while done < count, breaches.isEmpty {
      switch stream.generator.below(100) {
      case 0..<12: advance()
      case 12..<18: try checkPreview()
      case 18..<26: done += try submitGroup()
      case 26..<29: try checkRefusal()
      case 29..<31: try checkSweep()
      case 31..<34: try checkRefundUndone()
      case 34..<39: try checkReplay()
      case 39: try openAnew()
      default:
        try bookOne()
        done += 1
      }
    }
    if breaches.isEmpty { try checkSweep() }
    if breaches.isEmpty { try openAnew() }
    let rows = try access.read(ledger)
    if breaches.isEmpty {
      for problem in try ledger.verify().problems { add(.balancesAreTheirLots, "verify says \(problem)") }
    }
    ledger.close()
    return (rows, breaches)
  }

  private mutating func add(_ invariant: Invariant, _ message: String) { breaches.append(Breach(invariant, message)) }

  // MARK: Steps

  private mutating func advance() {
    switch stream.generator.below(100) {
    // Sometimes back: journal time stands still then.
    case 0..<3: time.set(Timestamp(milliseconds: time.now.milliseconds - 5000))
    case 3..<6: time.advance(seconds: Int64(40_000 + stream.generator.below(100_000)))
    default: time.advance(seconds: Int64(stream.generator.below(40)))
    }
  }

  private mutating func bookOne() throws {
    let command = try stream.command(now: time.now)
    let isKnown = isKnown(command)
    try keep(command, Result { try access.book(ledger, command) }, isKnown: isKnown)
  }

  /// Whether the customer exists: a refusal is kept for an existing customer only, and a refused command creates none.
  private func isKnown(_ command: LedgerCommand) -> Bool { (try? ledger.customer(command.customer)) != nil }

  private mutating func submitGroup() throws -> Int {
    var commands: [LedgerCommand] = []
    for _ in 0..<(2 + stream.generator.below(10)) { commands.append(try stream.command(now: time.now)) }
    let known = commands.map(isKnown)
    for ((command, isKnown), result) in zip(zip(commands, known), ledger.submit(commands)) {
      try keep(command, result.mapError { $0 }, isKnown: isKnown)
    }
    return commands.count
  }

  /// Remembers the answer, to ask again.
  private mutating func keep(_ command: LedgerCommand, _ result: Result<Booking, any Error>, isKnown: Bool) throws {
    if case .success(let booking) = result {
      stream.heard(booking)
      // An erasure removes the customer's keys, and some answers name them: no earlier command is asked again.
      if booking.kind == .erase { answers.removeAll() }
      if booking.kind == .purchase, let id = booking.transactionID { try acknowledge(id) }
      // A notice that books nothing keeps no key.
      if booking.isReplayed || booking.transactionID == nil { return }
    }
    if case .failure(let error as LedgerError) = result {
      guard error.code != .storageDamaged, error.code != .unexpected else { throw error }
      if error.isReplayed || !error.code.isKept || !isKnown { return }
    }
    guard command.key != nil else { return }
    let kind = try? result.get().kind
    answers.append(
      Answered(
        command: command, answer: Self.text(result), isNotice: kind == .refund || kind == .reversedRefund))
  }

  private mutating func acknowledge(_ id: TransactionID) throws {
    let salt = try ledger.storage.read { (snapshot) throws(LedgerError) -> UInt64 in try snapshot.project().salt }
    let number = try XCTUnwrap(TransactionIDMaker(salt: salt).number(of: id), "a forged id \(id)")
    acknowledged.insert(number)
  }

  private mutating func openAnew() throws {
    ledger = try reopen(ledger, time.clock)
    let rows = try access.read(ledger)
    breaches += rows.breaches() + rows.losses(of: acknowledged)
  }
}

// MARK: Seeds

extension InvariantContract {
  /// The generators of that many runs in the thorough tier, with fixed seeds; the quick tier has some of them.
  ///
  /// If GEMLEDGER_SEED is `random` or a seed, the seeds differ; GEMLEDGER_RUNS sets their number.
  package static func generator(_ count: Int, quick: Int = 1, for test: String = #function) -> [SeededRandom] {
    let wanted = ProcessInfo.processInfo.environment["GEMLEDGER_SEED"]
    if let seed = wanted.flatMap(UInt64.init) { return [SeededRandom(seed: seed, for: test)] }
    let runs = ProcessInfo.processInfo.environment["GEMLEDGER_RUNS"].flatMap(Int.init).map { Array(1...max(1, $0)) }
    return (runs ?? Tier.current.items(quick, of: 1...count)).map { run in
      wanted == "random" ? SeededRandom(for: test) : SeededRandom(seed: UInt64(run) &* 0x2545_F491_4F6C_DD1D, for: test)
    }
  }
}

// MARK: Comparisons

extension InvariantContract {
  private mutating func postAll() throws {
    for customer in try ledger.everyCustomer() { _ = try? ledger.book(.bookDue(customer.id)) as Booking }
  }

  /// 4: the same answer again, and nothing booked.
  private mutating func checkReplay() throws {
    guard !answers.isEmpty else { return }
    let known = stream.generator.one(of: answers)
    let before = try access.read(ledger)
    let again = Self.text(Result { try access.book(ledger, known.command) })
    if again != known.answer, !known.isNotice {
      add(.oneKeyOneEffect, "\(Self.text(of: known.command)) gave\n  \(known.answer)\nand then\n  \(again)")
    }
    if let difference = try access.read(ledger).difference(from: before) {
      add(.oneKeyOneEffect, "\(known.command.key?.text ?? "") again changed \(difference)")
    }
  }

  /// 8: with all due effects booked before, a refused command changes nothing but its key.
  private mutating func checkRefusal() throws {
    try postAll()
    let before = try access.read(ledger).withoutHints
    let command = try stream.command(now: time.now)
    let isKnown = isKnown(command)
    let result = Result { try access.book(ledger, command) }
    if case .failure(let error as LedgerError) = result {
      let after = try access.read(ledger).withoutHints
      let isKept = error.code.isKept && command.key != nil
      if let difference = isKept
        ? after.withoutKeys.difference(from: before.withoutKeys) : after.difference(from: before)
      {
        add(.refusalsLeaveNoTrace, "\(error.code) by \(Self.text(of: command)) left \(difference)")
      }
    }
    try keep(command, result, isKnown: isKnown)
  }

  /// 9: a preview books nothing, and gives the result of the next booking.
  private mutating func checkPreview() throws {
    let command = try stream.command(now: time.now)
    let isKnown = isKnown(command)
    let before = try access.read(ledger)
    let preview = Result { try access.preview(ledger, command) }
    if let difference = try access.read(ledger).difference(from: before) {
      add(.previewsAreCommits, "a preview of \(Self.text(of: command)) changed \(difference)")
    }
    let result = Result { try access.book(ledger, command) }
    let (said, did) = (Self.text(preview, hidesNumbers: true), Self.text(result, hidesNumbers: true))
    if said != did { add(.previewsAreCommits, "\(Self.text(of: command)) was to give\n  \(said)\nand gave\n  \(did)") }
    try keep(command, result, isKnown: isKnown)
  }

  /// 6: the effects that the sweeper books held before.
  private mutating func checkSweep() throws {
    let before = try Self.worth(ledger)
    try access.sweep(ledger)
    let after = try Self.worth(ledger)
    for (one, other) in zip(before, after) where one != other {
      add(.expiredIsWorthNothing, "before the sweep it was \(one), after it \(other)")
    }
    try postAll()
    let settled = try access.read(ledger)
    if try Self.worth(ledger) != after { add(.expiredIsWorthNothing, "settling changed what customers have") }
    let now = max(time.now, settled.transactions.last?.createdAt ?? time.now)
    breaches += settled.breaches() + settled.expiries(at: now) + settled.losses(of: acknowledged)
    try access.sweep(ledger)
    if let difference = try access.read(ledger).difference(from: settled) {
      add(.expiredIsWorthNothing, "a second sweep changed \(difference)")
    }
  }

  /// 10: refund and reversal of a purchase that is not refunded.
  private mutating func checkRefundUndone() throws {
    try postAll()
    let (id, session) = stream.purchaseID()
    let environment = try EconomyStream.environment(session)
    noticeDate += 2
    let extent = stream.generator.one(of: [
      StoreRefund.Extent.full, .milliPercent(33_333), .milliPercent(1), .quantity(1),
    ])
    let refund = try Make.refund(
      id, extent, revokedAt: noticeDate, signedAt: noticeDate, environment: environment)
    let purchase = try? ledger.purchase(
      store: .apple, environment: environment, transactionID: StoreTransactionID(id))
    guard let purchase, purchase.refundedMilliPercent == 0 else { return }
    let before = try access.read(ledger)
    let first = try access.book(ledger, .refund(refund))
    let taken = try access.read(ledger)
    let reversal = try Make.reversal(
      id, revokedAt: noticeDate, signedAt: noticeDate + 1, environment: environment)
    _ = try access.book(ledger, .reverseRefund(reversal))
    let after = try access.read(ledger)
    if !after.isSameState(as: before) {
      add(
        .refundsUndone,
        "a refund of \(extent) of \(id) took \(Self.text(.success(first))); its reversal left "
          + (after.difference(from: before) ?? ""))
    }
    if taken.isSameState(as: before), !first.entries.isEmpty {
      add(.refundsUndone, "a refund of \(id) that says \(first.entries) took nothing")
    }
  }

  // MARK: Words

  /// The holdings of every customer in every currency, without versions.
  private static func worth(_ ledger: Ledger) throws -> [String] {
    try ledger.everyCustomer().flatMap { customer in
      try ledger.balances(of: customer.id).map {
        "\(customer.id) \($0.currency) \($0.balance) held \($0.held) owes \($0.debt)"
      }
    }
  }

  /// All that the command asks, found by looking into it.
  private static func text(of command: LedgerCommand) -> String {
    var text = ""
    dump(command, to: &text)
    let lines = text.split(separator: "\n").map { $0.drop { " ▿-".contains($0) } }
    return lines.filter { line in !["Hash", "fingerprint", "asked:", "qual"].contains { line.contains($0) } }
      .joined(separator: " ")
  }

  /// An answer without the parts that may change in a replay: whether it is replayed, and the id of the customer.
  private static func text(_ result: Result<Booking, any Error>, hidesNumbers: Bool = false) -> String {
    switch result {
    case .failure(let error as LedgerError): return "refused \(error.code) \(hidesNumbers ? "\(error.isReplayed)" : "")"
    case .failure(let error): return "failed \(error)"
    case .success(let booking):
      let entries = booking.entries.map { entry in
        let lots = entry.allocations.map { "\(hidesNumbers ? 0 : $0.lot) \($0.source) \($0.amount)" }
        return "\(entry.currency) \(entry.kind) \(entry.amount) to \(entry.balance) owing \(entry.debt) at "
          + "\(entry.version) \(lots)"
      }
      let id = hidesNumbers ? "" : booking.transactionID?.description ?? "none"
      let hold = booking.hold.map { "\($0.amounts) \($0.balances) \($0.available)" } ?? ""
      let parties = booking.parties.map { "\($0.entries.map(\.amount)) \($0.items)" }
      return "\(booking.kind) \(id) \(booking.createdAt) \(entries) \(booking.items) \(hold) "
        + "expired \(booking.expired) reclaimed \(booking.reclaimed) \(parties)"
    }
  }
}
