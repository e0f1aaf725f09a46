public import GemLedger

/// Which commands a run of `gemstress` books, for the run itself and for who checks what came of it.
///
/// Half of them are the first customer's. Even ones grant 3 GEM, odd ones spend 2. Each has its name as its reference,
/// and as its key; every third of a plan that says so has no key.
public struct StressPlan: Sendable {
  /// Whose balances change.
  public let customers: [CustomerID]
  /// What the names of the commands begin with.
  public let name: String
  /// Whether every third has no key.
  public let isPartlyUnkeyed: Bool

  /// A plan of as many commands as anybody asks for.
  public init(customers: [CustomerID], name: String, isPartlyUnkeyed: Bool = false) {
    self.customers = customers
    self.name = name
    self.isPartlyUnkeyed = isPartlyUnkeyed
  }

  /// The command's name.
  public func name(_ number: Int) -> String { "\(name)-\(number)" }

  /// Whether the command may be repeated whatever came of it.
  public func hasKey(_ number: Int) -> Bool { !isPartlyUnkeyed || number % 3 != 2 }

  /// By how much the command changes its customer's balance.
  public func effect(_ number: Int) -> Int64 { number % 2 == 0 ? 3 : -2 }

  /// Whose command it is.
  public func customer(_ number: Int) -> CustomerID {
    number % 4 < 2 ? customers[0] : customers[number / 4 % customers.count]
  }

  /// The command.
  public func command(_ number: Int) throws -> LedgerCommand {
    let gem = try CurrencyCode("GEM")
    let key = hasKey(number) ? try IdempotencyKey(name(number)) : nil
    let effect = effect(number)
    var command =
      effect > 0
      ? LedgerCommand.grant([Adjustment(gem, effect)], customer: customer(number), key: key)
      : try LedgerCommand.spend([Adjustment(gem, -effect)], customer: customer(number), key: key)
    command.reference = try Reference(name(number))
    return command
  }
}
