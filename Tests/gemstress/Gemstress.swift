import Dispatch
import GemLedger
import GemLedgerSQLite

#if PostgreSQL
import GemLedgerPostgres
#endif
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Books commands in a storage and prints each on standard output once it is acknowledged.
///
/// Tests hammer one storage with it from several processes, kill some of them, and take its server away.
///
///     gemstress STORAGE CUSTOMER[,CUSTOMER] NAME COUNT [threads=N] [unkeyed] [forgetful]
///     gemstress STORAGE make
///     gemstress STORAGE undo TRANSACTION
///
/// STORAGE is `sqlite:PATH` or `postgres://…`; ``StressPlan`` has the commands. The line of an acknowledged command is
/// its name and its transaction. The line of an unkeyed command with an unknown outcome is its name after a question
/// mark. A storage that cannot be reached is asked again, for a minute. A forgetful run does not look up the outcome of
/// a commit: it is there to be caught.
///
/// The second form makes a ledger or finds that there is one, says which, opens it, and makes a customer. The third
/// reverses a transaction, and prints that it booked the reversal or the reason of the refusal.
@main
enum Gemstress {
  private static let timeout = Duration.seconds(60)

  static func main() {
    let arguments = CommandLine.arguments
    do {
      if arguments.count == 3, arguments[2] == "make" {
        try make(arguments[1])
      } else if arguments.count == 4, arguments[2] == "undo" {
        try undo(TransactionID(arguments[3]), in: arguments[1])
      } else if arguments.count >= 5, let count = Int(arguments[4]) {
        let options = arguments.dropFirst(5)
        let threads = options.compactMap { $0.hasPrefix("threads=") ? Int($0.dropFirst(8)) : nil }.first ?? 1
        let plan = StressPlan(
          customers: try arguments[2].split(separator: ",").map { try CustomerID(String($0)) }, name: arguments[3],
          isPartlyUnkeyed: options.contains("unkeyed"))
        let ledger = try again { try open(arguments[1], isForgetful: options.contains("forgetful")) }
        // Each on a queue of its own: there may be more of them than processors.
        let group = DispatchGroup()
        for thread in 0..<threads {
          DispatchQueue(label: "gemstress \(thread)").async(group: group) {
            run(plan, stride(from: thread, to: count, by: threads), in: ledger)
          }
        }
        group.wait()
        ledger.close()
      } else {
        fail("usage: gemstress STORAGE CUSTOMER[,CUSTOMER…] NAME COUNT [threads=N] [unkeyed] [forgetful]")
      }
    } catch {
      fail("\(error)")
    }
  }

  private static func run(_ plan: StressPlan, _ numbers: StrideTo<Int>, in ledger: Ledger) {
    for number in numbers {
      do {
        let command = try plan.command(number)
        let booking = try again(even: plan.hasKey(number) ? .outcomeUnknown : nil) { try ledger.book(command) }
        say("\(plan.name(number)) \(booking.transactionID?.description ?? "-")\n", to: STDOUT_FILENO)
      } catch let error as LedgerError where error.code == .outcomeUnknown {
        say("?\(plan.name(number)) \(error.message)\n", to: STDOUT_FILENO)
      } catch {
        fail("\(plan.name(number)): \(error)")
      }
    }
  }

  private static func make(_ storage: String) throws {
    do {
      try create(storage).close()
      say("made\n", to: STDOUT_FILENO)
    } catch let error as LedgerError where error.code == .alreadyExists {
      say("\(error.code)\n", to: STDOUT_FILENO)
    }
    let ledger = try open(storage, isForgetful: false)
    try ledger.createCustomer(CustomerID("process \(getpid())"))
    ledger.close()
  }

  private static func undo(_ transaction: TransactionID, in storage: String) throws {
    let ledger = try open(storage, isForgetful: false)
    do {
      _ = try again { try ledger.reverse(transaction) }
      say("booked\n", to: STDOUT_FILENO)
    } catch let error as LedgerError where error.code.isKept {
      say("\(error.code)\n", to: STDOUT_FILENO)
    }
    ledger.close()
  }

  /// Where nothing was booked it may be tried again.
  private static func again<R>(even other: LedgerError.Code? = nil, _ body: () throws -> R) throws -> R {
    let start = ContinuousClock.now
    while true {
      do {
        return try body()
      } catch let error as LedgerError where error.code == .storageUnavailable || error.code == other {
        guard ContinuousClock.now - start < timeout else { throw error }
        usleep(10_000)
      }
    }
  }

  // MARK: Storages

  private static func open(_ storage: String, isForgetful: Bool) throws -> Ledger {
    if storage.hasPrefix("sqlite:") { return try Ledger.openSQLite(at: String(storage.dropFirst(7))) }
    #if PostgreSQL
    let recovery = PostgresRecovery(resolvesLostAnswers: !isForgetful)
    return Ledger(storage: try PostgresStorage(url: storage, recovery: recovery))
    #else
    throw LedgerError.invalid("gemstress was built without PostgreSQL.")
    #endif
  }

  private static func create(_ storage: String) throws -> Ledger {
    if storage.hasPrefix("sqlite:") { return try Ledger.createSQLite(at: String(storage.dropFirst(7))) }
    #if PostgreSQL
    return try Ledger.createPostgres(at: storage)
    #else
    throw LedgerError.invalid("gemstress was built without PostgreSQL.")
    #endif
  }

  // MARK: Output

  private static func say(_ text: String, to descriptor: Int32) {
    var text = text
    text.withUTF8 { _ = write(descriptor, $0.baseAddress, $0.count) }
  }

  private static func fail(_ message: String) -> Never {
    say(message + "\n", to: STDERR_FILENO)
    exit(1)
  }
}
