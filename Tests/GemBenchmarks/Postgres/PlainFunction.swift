#if PostgreSQL
internal import CPostgreSQL
internal import Foundation
internal import GemLedger
internal import Synchronization

/// A plain ledger inside the server: a function that books one adjustment under a key.
///
/// It writes the same rows as the ledger (a journal record, an entry, a key, a balance), in one transaction for each
/// adjustment.
enum PlainFunction {
  static func tables(customers: Int) -> [String] {
    [
      "DROP SCHEMA IF EXISTS plain CASCADE", "CREATE SCHEMA plain",
      """
      CREATE TABLE plain.accounts (
        customer bigint, currency smallint, balance bigint NOT NULL CHECK (balance >= 0), debt bigint NOT NULL,
        held bigint NOT NULL, version bigint NOT NULL, last_entry bigint NOT NULL, pool_lot bigint NOT NULL,
        pool_source smallint NOT NULL, pool_environment bigint NOT NULL, pool_granted bigint NOT NULL,
        pool_remaining bigint NOT NULL, open_lots bigint NOT NULL, next_expiry bigint NOT NULL,
        PRIMARY KEY (customer, currency)
      ) WITH (fillfactor = 75)
      """,
      """
      CREATE TABLE plain.transactions (
        customer bigint, number bigint, kind smallint NOT NULL, has_entries boolean NOT NULL,
        created_at bigint NOT NULL, PRIMARY KEY (customer, number))
      """,
      "CREATE INDEX ON plain.transactions ((number & 63), number)",
      """
      CREATE TABLE plain.entries (
        customer bigint, number bigint, currency smallint NOT NULL, kind smallint NOT NULL,
        amount bigint NOT NULL CHECK (amount <> 0), balance bigint NOT NULL CHECK (balance >= 0),
        debt bigint NOT NULL, version bigint NOT NULL, previous bigint NOT NULL, lot bigint NOT NULL,
        PRIMARY KEY (customer, number))
      """,
      """
      CREATE TABLE plain.keys (
        customer bigint, key bytea, asked bigint NOT NULL, qualifiers bigint NOT NULL, transaction_number bigint,
        refusal text, PRIMARY KEY (customer, key))
      """,
      "CREATE SEQUENCE plain.numbers CACHE 100",
      """
      INSERT INTO plain.accounts
      SELECT n, 1, 1000000, 0, 0, 1, 0, n, 5, 1, 1000000, 1000000, 0, 9223372036854775807
      FROM generate_series(1, \(customers)) n
      """,
      """
      CREATE FUNCTION plain.adjust(customer_number bigint, the_key bytea, change bigint) RETURNS bigint
      LANGUAGE plpgsql AS $$
      DECLARE
        account plain.accounts;
        earlier bigint;
        drawn bigint;
      BEGIN
        SELECT * INTO account FROM plain.accounts WHERE customer = customer_number AND currency = 1 FOR UPDATE;
        SELECT transaction_number INTO earlier FROM plain.keys WHERE customer = customer_number AND key = the_key;
        IF FOUND THEN RETURN account.balance; END IF;
        IF account.balance + change < 0 THEN RAISE EXCEPTION 'insufficient balance'; END IF;
        drawn := nextval('plain.numbers') << 6;
        INSERT INTO plain.transactions
          VALUES (customer_number, drawn, 3, true, (extract(epoch FROM clock_timestamp()) * 1000)::bigint);
        INSERT INTO plain.entries VALUES (customer_number, drawn << 12, 1, 3, change, account.balance + change,
          account.debt, account.version + 1, account.last_entry, account.pool_lot);
        INSERT INTO plain.keys VALUES (customer_number, the_key, 1, 0, drawn, NULL);
        UPDATE plain.accounts SET balance = account.balance + change, version = account.version + 1,
          last_entry = drawn << 12, pool_remaining = account.pool_remaining + change
          WHERE customer = customer_number AND currency = 1;
        RETURN account.balance + change;
      END $$
      """,
    ]
  }

  /// Returns the script; keys are in the order of time, like the ledger's keys.
  static func script(customers: Int) -> String {
    """
    \\set customer random(1, \(customers))
    \\set low random(0, 9223372036854775806)
    SELECT plain.adjust(:customer, int8send((extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
      || int8send(:low), -1);

    """
  }
}

/// A connection for the statements that make the tables.
struct PlainSQL {
  private let url: String

  init(_ url: String) { self.url = url }

  /// - Parameter alone: Whether each statement runs in a separate transaction, as some require.
  func run(_ statements: [String], alone: Bool = false) throws {
    let connection = PQconnectdb(url)
    defer { PQfinish(connection) }
    // Keeps the server's notices off the terminal.
    _ = PQsetNoticeProcessor(connection, { _, _ in }, nil)
    for statement in alone ? statements : ["BEGIN"] + statements + ["COMMIT"] {
      let result = PQexec(connection, statement)
      defer { PQclear(result) }
      guard [PGRES_COMMAND_OK, PGRES_TUPLES_OK].contains(PQresultStatus(result)) else {
        // A checkpoint needs a privilege that some roles lack, and only steadies the figures.
        if statement == "CHECKPOINT" { continue }
        throw LedgerError(.unexpected, String(cString: PQerrorMessage(connection)))
      }
    }
  }
}

/// A program that runs in parallel.
final class RunningProgram {
  private let process = Process()
  private let output = Pipe()
  private let input = Pipe()
  private let name: String

  /// - Parameter waits: Whether it reads a line before it begins.
  init(_ path: String, _ arguments: [String], waits: Bool = false) throws {
    name = ([path] + arguments.prefix(1)).joined(separator: " ")
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.standardOutput = output
    process.standardError = waits ? FileHandle.standardError : FileHandle.nullDevice
    if waits { process.standardInput = input }
    try process.run()
  }

  /// Waits for its first line.
  func waitUntilReady() throws {
    while true {
      let byte = output.fileHandleForReading.readData(ofLength: 1)
      guard let byte = byte.first else { throw LedgerError(.unexpected, "\(name) ended before it began") }
      if byte == UInt8(ascii: "\n") { return }
    }
  }

  /// Lets it begin its work.
  func goOn() { input.fileHandleForWriting.write(Data("\n".utf8)) }

  func finish() throws -> String {
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw LedgerError(.unexpected, "\(name) ended with status \(process.terminationStatus)")
    }
    return text.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}

/// Work on a dedicated thread.
final class Worker: Sendable {
  private let outcome = Mutex<Result<Int, any Error>>(.success(0))
  private let done = DispatchSemaphore(value: 0)

  init(_ body: @escaping @Sendable () throws -> Int) {
    Thread.detachNewThread { [self] in
      let result = Result { try body() }
      outcome.withLock { $0 = result }
      done.signal()
    }
  }

  func join() throws -> Int {
    done.wait()
    return try outcome.withLock { $0 }.get()
  }
}
#endif
