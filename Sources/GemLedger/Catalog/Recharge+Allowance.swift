/// Energy: a currency that recharges with time, up to a bound.
///
/// Other grants may pass the bound; the clock then stops until the balance is below it again.
public struct Recharge: Hashable, Sendable {
  /// The amount of one recharge, from 1.
  public let amount: Int64
  /// The time between two recharges: a second at least, 366 days at most.
  public let every: TimeSpan
  /// The balance at which it stops, from 1.
  public let upTo: Int64

  /// A recharge as the catalog describes it; making the catalog checks it.
  public init(amount: Int64, every: TimeSpan, upTo: Int64) {
    self.amount = amount
    self.every = every
    self.upTo = upTo
  }
}

/// The amount that every customer gets in each period, to be spent in it.
public struct Allowance: Hashable, Sendable {
  /// How much, from 1.
  public let amount: Int64
  /// How often.
  public let per: Period
  /// The largest unspent amount that goes into the next period, from 0; the rest expires.
  public let rollover: Int64

  /// An allowance as the catalog describes it; making the catalog checks it.
  public init(amount: Int64, per: Period, rollover: Int64 = 0) {
    self.amount = amount
    self.per = per
    self.rollover = rollover
  }
}

/// The most of a currency that may move for one customer in a period.
public struct WindowLimit: Hashable, Sendable {
  /// How much, from 1.
  public let amount: Int64
  /// In which period.
  public let per: Period

  /// A limit as the catalog describes it; making the catalog checks it.
  public init(amount: Int64, per: Period) {
    self.amount = amount
    self.per = per
  }
}

extension Recharge {
  init?(reading field: CatalogField) {
    guard let fields = field.fields(["amount", "every", "up_to"]) else { return nil }
    let amount = fields.required("amount") { try $0.integer(in: 1...Limits.amount) }
    let every = fields.required("every") { try $0.timeSpan(in: 1...Limits.rechargeSeconds) }
    let upTo = fields.required("up_to") { try $0.integer(in: 1...Limits.amount) }
    guard let amount, let every, let upTo else { return nil }
    self.init(amount: amount, every: every, upTo: upTo)
  }

  func json() -> JSONValue {
    ["amount": .integer(amount), "every": .string(every.description), "up_to": .integer(upTo)]
  }
}

extension Allowance {
  init?(reading field: CatalogField) {
    guard let fields = field.fields(["amount", "per", "rollover"]) else { return nil }
    let amount = fields.required("amount") { try $0.integer(in: 1...Limits.amount) }
    let per = fields.required("per") { try $0.option(Period.self) }
    let rollover = fields.optional("rollover", default: 0) { try $0.integer(in: 0...Limits.amount) }
    guard let amount, let per else { return nil }
    self.init(amount: amount, per: per, rollover: rollover)
  }

  func json() -> JSONValue {
    ["amount": .integer(amount), "per": .string(per.description), "rollover": .integer(rollover)]
  }
}

extension WindowLimit {
  init?(reading field: CatalogField) {
    guard let fields = field.fields(["amount", "per"]) else { return nil }
    let amount = fields.required("amount") { try $0.integer(in: 1...Limits.amount) }
    let per = fields.required("per") { try $0.option(Period.self) }
    guard let amount, let per else { return nil }
    self.init(amount: amount, per: per)
  }

  func json() -> JSONValue { ["amount": .integer(amount), "per": .string(per.description)] }
}

extension CatalogField {
  package func timeSpan(in seconds: ClosedRange<Int64>) throws(LedgerError) -> TimeSpan {
    guard let text = value?.text else { throw refused(expected: "a length of time as a text, such as \"5m\"") }
    guard let span = TimeSpan(text) else {
      throw refused("\"\(text.abridged)\" is not a length of time such as \"90s\", \"5m\", \"1h\" or \"30d\".")
    }
    guard seconds.contains(span.seconds) else {
      let (least, most) = (TimeSpan(seconds: seconds.lowerBound), TimeSpan(seconds: seconds.upperBound))
      throw refused(expected: "from \(least) to \(most)", found: "\(span)")
    }
    return span
  }
}
