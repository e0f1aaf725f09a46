internal import GemLedger

/// Tries lines without booking them, in order for each customer, by the rules of their import.
///
/// Each line is decided on the state after the previous lines. So only concurrent bookings can later cause a refusal.
struct BalanceTrial {
  private enum Owner: Hashable {
    case known(CustomerNumber)
    case new(CustomerID)
  }

  private struct Position: Hashable {
    let owner: Owner
    let key: IdempotencyKey
  }

  /// The minimum number of lines tried together; a chunk contains all lines of its customers.
  private static let chunkSize = 8192
  /// The maximum number of attempts for a line that earlier imports refused.
  private static let attemptCountMax = 1000

  private let ledger: Ledger
  private let balances: BalanceImport
  private(set) var problems = ImportProblems()
  private(set) var replayed: Int64 = 0
  /// The lines to book, in order, each with a key that no refused import used.
  private(set) var left: [BalanceImport.Line] = []

  init(_ balances: BalanceImport, of ledger: Ledger) {
    self.balances = balances
    self.ledger = ledger
  }

  /// - Parameter progress: Called with the number of tried lines.
  mutating func run(_ progress: (Int64) -> Void) throws(LedgerError) {
    let owners = try findOwners()
    // Grouped by customer; each customer keeps the order of its lines.
    var ranks: [Owner: Int] = [:]
    for owner in owners where ranks[owner] == nil { ranks[owner] = ranks.count }
    let order = owners.indices.sorted { (ranks[owners[$0]] ?? 0, $0) < (ranks[owners[$1]] ?? 0, $1) }
    var found: [(index: Int, line: BalanceImport.Line)] = []
    var faults: [(line: Int64, message: String)] = []
    var start = 0
    while start < order.count {
      var end = min(start + Self.chunkSize, order.count)
      while end < order.count, owners[order[end]] == owners[order[end - 1]] { end += 1 }
      try tryLines(order[start..<end], owners, &found, &faults)
      start = end
      progress(Int64(start))
    }
    left = found.sorted { $0.index < $1.index }.map(\.line)
    for fault in faults.sorted(by: { $0.line < $1.line }) { problems.add(fault.line, fault.message) }
  }

  /// Finds the customer of each line: two ids may name one customer.
  private func findOwners() throws(LedgerError) -> [Owner] {
    let lines = balances.lines
    return try ledger.storage.read { (snapshot) throws(LedgerError) -> [Owner] in
      var known: [CustomerID: Owner] = [:]
      var owners: [Owner] = []
      owners.reserveCapacity(lines.count)
      for line in lines {
        let id = line.command.customer
        var owner = known[id]
        if owner == nil { owner = try snapshot.customer(id).map { Owner.known($0.number) } ?? .new(id) }
        known[id] = owner
        owners.append(owner ?? .new(id))
      }
      return owners
    }
  }

  private mutating func tryLines(
    _ chunk: ArraySlice<Int>, _ owners: [Owner], _ found: inout [(index: Int, line: BalanceImport.Line)],
    _ faults: inout [(line: Int64, message: String)]
  ) throws(LedgerError) {
    let (lines, areChanges, ledger, now) = (balances.lines, balances.areChanges, ledger, ledger.clock.now())
    var count: Int64 = 0
    try ledger.storage.read { (snapshot) throws(LedgerError) in
      var trial = try CommandTrial(of: ledger, at: now, in: snapshot)
      var seen: [Position: BalanceImport.Line] = [:]
      var last: Owner?
      for index in chunk {
        let (line, owner) = (lines[index], owners[index])
        if areChanges, owner != last, case .new(let id) = owner {
          _ = try trial.decide(.createCustomer(id))
        }
        last = owner
        let position = (line.balanceKey ?? line.command.key).map { Position(owner: owner, key: $0) }
        do throws(LedgerError) {
          guard let booked = try Self.attempt(line, &trial, snapshot) else {
            // A line that an earlier import booked is no duplicate, even if ids were merged since.
            count += 1
            continue
          }
          if let position, let first = seen.updateValue(line, forKey: position) {
            faults.append((line.number, Self.twice(first, line)))
            continue
          }
          found.append((index, booked))
        } catch {
          guard !error.code.isStorageFailure else { throw error }
          faults.append((line.number, error.message))
        }
      }
    }
    replayed += count
  }

  /// Decides a line as its import would; returns nil if an earlier import booked it.
  ///
  /// A refusal is stored under its key permanently. Its cause may be gone, so the line is tried again under a new key,
  /// which is the same in every import.
  private static func attempt(
    _ line: BalanceImport.Line, _ trial: inout CommandTrial, _ snapshot: any StorageSnapshot
  ) throws(LedgerError) -> BalanceImport.Line? {
    var command = line.command
    let key = command.key
    for attempt in 1...attemptCountMax {
      command.key =
        attempt == 1
        ? key
        : try key.map { (key) throws(LedgerError) in
          try IdempotencyKey("\(key)/attempt-\(attempt)")
        }
      do throws(LedgerError) {
        guard try !trial.decide(command).isReplayed else { return nil }
        return BalanceImport.Line(number: line.number, command: command, amounts: line.amounts)
      } catch {
        if error.code == .keyConflict {
          throw LedgerError(
            .invalidImport, "An earlier import of this line had other contents: \(error.message)")
        }
        guard error.isReplayed else { throw error }
      }
    }
    throw LedgerError(.limitExceeded, "The import of this line was refused \(attemptCountMax) times.")
  }

  private static func twice(_ first: BalanceImport.Line, _ line: BalanceImport.Line) -> String {
    let codes = line.amounts.map(\.currency.description).joined(separator: ", ")
    return "Line \(first.number) has \(codes) of the same customer with the same source and expiry already: "
      + "\"\(first.command.customer)\" and \"\(line.command.customer)\" are ids of one customer."
  }
}
