import GemLedger
import GemLedgerSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Books commands in a SQLite file and says each on standard output once it is acknowledged, for tests that hammer one
/// file from several processes and kill some of them.
///
///     gemstress FILE CUSTOMER NAME COUNT
///
/// Command number N has the key `NAME-N`; even ones grant 3 GEM, odd ones spend 2.
@main
enum Gemstress {
  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count == 5, let count = Int(arguments[4]) else { fail("usage: gemstress FILE CUSTOMER NAME COUNT") }
    do {
      try run(path: arguments[1], customer: CustomerID(arguments[2]), name: arguments[3], count: count)
    } catch {
      fail("\(error)")
    }
  }

  private static func run(path: String, customer: CustomerID, name: String, count: Int) throws {
    let ledger = try Ledger.openSQLite(at: path)
    let gem = try CurrencyCode("GEM")
    for number in 0..<count {
      let key = try IdempotencyKey("\(name)-\(number)")
      if number % 2 == 0 {
        try ledger.grant([Adjustment(gem, 3)], customer: customer, key: key)
      } else {
        try ledger.spend([Adjustment(gem, 2)], customer: customer, key: key)
      }
      say("\(key)\n", to: STDOUT_FILENO)
    }
    ledger.close()
  }

  private static func say(_ text: String, to descriptor: Int32) {
    var text = text
    text.withUTF8 { _ = write(descriptor, $0.baseAddress, $0.count) }
  }

  private static func fail(_ message: String) -> Never {
    say(message + "\n", to: STDERR_FILENO)
    exit(1)
  }
}
