public import GemLedger

/// Balances, or balance changes, of another system, as commands for a ledger.
///
/// Each line becomes a command with a key derived from the line, so importing a file again changes nothing.
/// The page *Export* of GemLedger lists the files of each form.
public struct BalanceImport: Sendable {
  /// The outcome of an import.
  public struct Outcome: Hashable, Sendable {
    /// Lines that were booked, or would be.
    public var booked: Int64 = 0
    /// Lines that an earlier import had booked already.
    public var replayed: Int64 = 0
    /// Lines without an effect.
    public var withoutChange: Int64 = 0
    /// The booked amount of each currency.
    public var amounts: [CurrencyCode: Int64] = [:]
  }

  package struct Line: Sendable {
    let number: Int64
    package let command: LedgerCommand
    let amounts: [Adjustment]
    /// The key without the id: lines of one customer with the same key are one balance.
    var balanceKey: IdempotencyKey?
  }

  /// The lines in booking order.
  package let lines: [Line]
  let withoutChange: Int64
  /// Whether lines increase and decrease balances, so that their customers may have to be created first.
  let areChanges: Bool

  init(lines: [Line], withoutChange: Int64 = 0, areChanges: Bool = false) {
    self.lines = lines
    self.withoutChange = withoutChange
    self.areChanges = areChanges
  }

  // MARK: Opening balances

  /// Reads opening balances from comma-separated values.
  ///
  /// The columns are `customer_id`, `currency` and `amount`, and optionally `source` and `expires_at`.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - source: The lot source for lines without one; not `paid`, which only a purchase makes.
  ///   - progress: Called with the number of bytes read and their total.
  /// - Throws: `LedgerError` with `invalid_import`, every problem listed with its line up to a bound.
  public static func csv(
    _ bytes: [UInt8], source: LotSource = .admin, progress: (Int64, Int64) -> Void = { _, _ in }
  ) throws(LedgerError) -> Self {
    var problems = ImportProblems()
    var gathered = OpeningBalances()
    BalanceLines(bytes: bytes).readRows(
      required: [["customer_id"], ["currency"], ["amount"]], optional: ["source", "expires_at"], &problems,
      progress: progress
    ) { row throws(LineFault) in
      try gathered.add(
        row.line, customer: try row.text("customer_id"), currency: try row.text("currency"),
        amount: try amount(try row.text("amount")), source: try Self.source(row["source"], or: source),
        expiresAt: try time(row["expires_at"]))
    }
    try problems.check("The file")
    return Self(lines: gathered.lines)
  }

  /// Reads balances of RevenueCat's virtual currencies.
  ///
  /// - Parameters:
  ///   - bytes: Lines of JSON, each a response of one of its balance endpoints, or comma-separated values.
  ///   - source: The lot source: RevenueCat does not report the origin of a balance.
  ///   - progress: Called with the number of bytes read and their total.
  /// - Throws: `LedgerError` with `invalid_import`, every problem listed with its line up to a bound.
  public static func revenueCat(
    _ bytes: [UInt8], source: LotSource = .admin, progress: (Int64, Int64) -> Void = { _, _ in }
  ) throws(LedgerError) -> Self {
    var problems = ImportProblems()
    let balances = RevenueCatBalances.read(BalanceLines(bytes: bytes), &problems, progress)
    var gathered = OpeningBalances()
    var empty: Int64 = 0
    for balance in balances {
      // Zero balances need no account; RevenueCat lists some of them and omits others.
      if balance.amount == 0 {
        empty += 1
        continue
      }
      do throws(LineFault) {
        try gathered.add(
          balance.line, customer: balance.customer, currency: balance.currency, amount: balance.amount,
          source: source, expiresAt: nil)
      } catch {
        problems.add(balance.line, error.message)
      }
    }
    try problems.check("The file")
    return Self(lines: gathered.lines, withoutChange: empty)
  }

  // MARK: Fields

  /// Parses plain digits, from 0.
  static func amount(_ text: String) throws(LineFault) -> Int64 {
    let digits = text.utf8
    guard !digits.isEmpty, digits.allSatisfy(ASCII.isDigit), digits.count == 1 || digits.first != ASCII.zero else {
      throw LineFault("The amount \"\(text.prefix(40))\" is not plain digits, such as 1200.")
    }
    guard let amount = Int64(text), amount <= Limits.amount else {
      throw LineFault("The amount \(text.prefix(40)) is out of range: at most \(Limits.amount).")
    }
    return amount
  }

  private static func source(_ name: String?, or other: LotSource) throws(LineFault) -> LotSource {
    guard let name else { return other }
    guard let source = LotSource(name: name), source != .paid else {
      throw LineFault(
        "The source \"\(name.prefix(40))\" is not bonus, earned, promotional or admin; only a purchase makes paid "
          + "currency.")
    }
    return source
  }

  private static func time(_ text: String?) throws(LineFault) -> Timestamp? {
    guard let text else { return nil }
    guard let time = Timestamp(text), time.milliseconds < Limits.expiryMilliseconds else {
      throw LineFault("The time \"\(text.prefix(40))\" is not a time with a zone, such as 2026-11-21T09:30:00Z.")
    }
    return time
  }
}

/// Collects opening balances and rejects duplicates of customer, currency, source and expiry.
private struct OpeningBalances {
  private struct Position: Hashable {
    let customer: CustomerID
    let key: IdempotencyKey
  }

  private(set) var lines: [BalanceImport.Line] = []
  private var addresses: [Position: Int64] = [:]

  mutating func add(
    _ line: Int64, customer: String, currency: String, amount: Int64, source: LotSource, expiresAt: Timestamp?
  ) throws(LineFault) {
    do throws(LedgerError) {
      let (customer, currency) = (try CustomerID(customer), try CurrencyCode(currency))
      try customer.checkClientUsable()
      guard amount != 0 else { throw LedgerError.invalid("The amount is 0; it must be at least 1.") }
      // Without the amount: a repeated line with another amount is a conflict, not a second credit.
      let balance = "opening-balance/\(currency)/\(source.name)/\(expiresAt?.description ?? "never")"
      // With the id: after a merge two ids name one customer, and each may have a separate balance.
      var hash = StableHash()
      hash.combine(customer.text)
      let key = try IdempotencyKey("\(balance)/\(HexForm.hex(hash.value, digits: 16))")
      let balanceKey = try IdempotencyKey(balance)
      if let first = addresses.updateValue(line, forKey: Position(customer: customer, key: balanceKey)) {
        throw LedgerError.invalid(
          "Line \(first) has \(currency) of \"\(customer)\" with the same source and expiry already.")
      }
      let amounts = [Adjustment(currency, amount)]
      let command = LedgerCommand.openingBalance(
        amounts, customer: customer, key: key, source: source, expiresAt: expiresAt)
      lines.append(BalanceImport.Line(number: line, command: command, amounts: amounts, balanceKey: balanceKey))
    } catch {
      throw LineFault(error.message)
    }
  }
}
