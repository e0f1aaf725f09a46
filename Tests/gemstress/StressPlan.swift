public import GemLedger

/// The commands that a run of `gemstress` books, for the run itself and for the check of its outcome.
///
/// Half of them are the first customer's. Even ones grant 3 GEM, odd ones spend 2. Each has its name as its reference,
/// and as its key; in a plan with unkeyed commands, every third has no key.
public struct StressPlan: Sendable {
  /// The customers with changing balances.
  public let customers: [CustomerID]
  /// The beginning of the names of the commands.
  public let name: String
  /// Whether every third has no key.
  public let isPartlyUnkeyed: Bool

  /// A plan of any number of commands.
  public init(customers: [CustomerID], name: String, isPartlyUnkeyed: Bool = false) {
    self.customers = customers
    self.name = name
    self.isPartlyUnkeyed = isPartlyUnkeyed
  }

  /// The command's name.
  public func name(_ number: Int) -> String { "\(name)-\(number)" }

  /// Whether the command may be repeated after any outcome.
  public func hasKey(_ number: Int) -> Bool { !isPartlyUnkeyed || number % 3 != 2 }

  /// By how much the command changes its customer's balance.
  public func effect(_ number: Int) -> Int64 { number % 2 == 0 ? 3 : -2 }

  /// The customer of the command.
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
