public import GemLedger

/// The used part of a purchase, which a store requests before it decides about a refund.
public struct Consumption: Hashable, Sendable {
  /// The delivery state of a purchase.
  public enum Delivery: String, Hashable, Sendable {
    /// It is credited, and delivered if a delivery is required.
    case delivered
    /// It is credited; a game server has not confirmed the delivery yet.
    case pending = "delivery_pending"
    /// It was refunded before a game server confirmed it.
    case withdrawn
  }

  /// The purchase.
  public let purchase: Purchase
  /// The delivery state.
  public let delivery: Delivery
  /// The granted currencies, in the order of codes.
  public let currencies: [Currency]

  /// The use of a purchase's grant of one currency, paid and bonus together.
  ///
  /// The granted amount is the sum of the remaining, the held, the refunded and the consumed amount.
  public struct Currency: Hashable, Sendable {
    /// The currency.
    public let currency: CurrencyCode
    /// The granted amount.
    public let granted: Int64
    /// The part that can be spent.
    public let remaining: Int64
    /// The part that is held; it is not consumed.
    public let held: Int64
    /// The part that the purchase's refund took back.
    public let refunded: Int64

    /// The part that was spent, moved to other customers, taken for other purchases' refunds, or expired.
    public var consumed: Int64 { granted - remaining - held - refunded }
    /// The consumed share, in thousandths of a percent, rounded down.
    public var consumedMilliPercent: Int64 { milliPercent(of: consumed) }
    /// The share that the purchase's refund took back, in thousandths of a percent, rounded down.
    public var refundedMilliPercent: Int64 { milliPercent(of: refunded) }

    private func milliPercent(of part: Int64) -> Int64 {
      granted > 0 ? Int64(clamping: Int128(part) * 100_000 / Int128(granted)) : 0
    }
  }

  /// The consumed share of the whole purchase, in thousandths of a percent, rounded down; nil if it granted no
  /// currency.
  ///
  /// It is the mean over the granted currencies: the price is spread evenly over them.
  public var consumedMilliPercent: Int64? { mean(\.consumedMilliPercent) }
  /// The refunded share of the whole purchase, computed like ``consumedMilliPercent``.
  public var refundedMilliPercent: Int64? { mean(\.refundedMilliPercent) }

  private func mean(_ share: (Currency) -> Int64) -> Int64? {
    currencies.isEmpty ? nil : currencies.map(share).reduce(0, +) / Int64(currencies.count)
  }
}

extension Ledger {
  /// Returns the used part of a purchase.
  ///
  /// - Parameters:
  ///   - id: The store transaction id.
  ///   - store: The store of the purchase; nil for any store.
  ///   - environment: Production, sandbox or a test session; nil for any.
  /// - Returns: Usually one purchase; several if several stores or environments have the same id.
  /// - Throws: ``LedgerError`` with `purchase_not_found`.
  public func consumption(
    of id: StoreTransactionID, store: Store? = nil, environment: StoreEnvironment? = nil
  ) throws(LedgerError) -> [Consumption] {
    try reading { (snapshot, definitions) throws(LedgerError) -> [Consumption] in
      let rows = try Self.purchases(id, store: store, environment: environment, in: snapshot)
      guard !rows.isEmpty else {
        throw LedgerError(
          .purchaseNotFound, "Nothing was credited for a store transaction \"\(id)\"; check the id's spelling.",
          details: [.text("store_transaction_id", id.text)])
      }
      var reader = ConsumptionReader(snapshot: snapshot, definitions: definitions, now: try clock.now(in: snapshot))
      var found: [Consumption] = []
      for row in rows { found.append(try reader.consumption(of: row)) }
      return found
    }
  }

  private static func purchases(
    _ id: StoreTransactionID, store: Store?, environment: StoreEnvironment?, in snapshot: any StorageSnapshot
  ) throws(LedgerError) -> [PurchaseRow] {
    var environments = StoreEnvironment.Kind.allCases.map(\.rawValue).filter { $0 < EnvironmentRow.firstDrawnNumber }
    environments += try snapshot.environments().map(\.number).filter { $0 >= EnvironmentRow.firstDrawnNumber }
    if let environment {
      environments = [environment.kind.rawValue]
      if environment.session != nil {
        environments = try snapshot.environments().filter { $0.environment == environment }.map(\.number)
      }
    }
    var rows: [PurchaseRow] = []
    for store in store.map({ [$0] }) ?? Store.all {
      for number in environments {
        let identity = PurchaseIdentity(store: store, environment: number, transactionID: id)
        if let row = try snapshot.purchase(identity) { rows.append(row) }
      }
    }
    return rows
  }
}

/// Reads the state of the lots that purchases made.
struct ConsumptionReader {
  let snapshot: any StorageSnapshot
  let definitions: CurrencyDefinitions
  let now: Timestamp
  private var reader: LotReader

  init(snapshot: any StorageSnapshot, definitions: CurrencyDefinitions, now: Timestamp) {
    self.snapshot = snapshot
    self.definitions = definitions
    self.now = now
    reader = LotReader(snapshot: snapshot, definitions: definitions)
  }

  mutating func purchase(_ row: PurchaseRow) throws(LedgerError) -> Purchase { try reader.purchase(row) }

  mutating func consumption(of row: PurchaseRow) throws(LedgerError) -> Consumption {
    let refunded = try refunded(row)
    var currencies: [Consumption.Currency] = []
    for lots in try lots(of: row) where !lots.lots.isEmpty {
      currencies.append(
        Consumption.Currency(
          currency: lots.currency.code, granted: lots.lots.reduce(0) { $0 + $1.granted },
          remaining: lots.lots.reduce(0) { $0 + $1.remaining }, held: lots.lots.reduce(0) { $0 + $1.held },
          refunded: lots.lots.reduce(0) { $0 + (refunded[$1.number] ?? 0) }))
    }
    let order = try snapshot.order(purchase: row.number)
    return Consumption(
      purchase: try reader.purchase(row), delivery: Consumption.Delivery(order), currencies: currencies)
  }

  /// Reads the current state of the lots that the purchase made, by currency.
  func lots(of row: PurchaseRow) throws(LedgerError) -> [(currency: CurrencyDefinition, lots: [LiveLot])] {
    let noted = try snapshot.notedTransactions([row.transaction], ofAny: [row.customer])
    guard let parts = noted[row.transaction]?.parts else {
      throw .lacksTransaction(row.transaction)
    }
    let holder = try snapshot.customer(number: row.customer).map { $0.mergedInto == 0 ? $0.number : $0.mergedInto }
    var found: [(currency: CurrencyDefinition, lots: [LiveLot])] = []
    for granted in RefundChange.granted(by: parts, definitions: definitions) {
      let account = AccountNumber(customer: holder ?? row.customer, currency: granted.currency.number)
      var lots: [LiveLot] = []
      for lot in granted.lots { lots.append(try live(lot, of: row, in: account)) }
      found.append((granted.currency, lots))
    }
    return found
  }

  private func live(
    _ lot: RefundChange.GrantedLot, of purchase: PurchaseRow, in number: AccountNumber
  ) throws(LedgerError) -> LiveLot {
    var row = try snapshot.lot(lot.lot, of: number.customer)
    // An empty lot may have another owner after an unmerge.
    if let known = row, known.account != number, known.remaining > 0 { row = nil }
    let account = try snapshot.account(number) ?? AccountRow(number: number)
    let holds = try AccountHold.open(of: account, in: snapshot)
    let isExpired = (row?.expiresAt ?? .max) <= now.milliseconds
    var (remaining, held) = (isExpired ? 0 : row?.remaining ?? 0, Int64(0))
    for hold in holds {
      for part in hold.lots where part.lot == lot.lot {
        if hold.deadline > now {
          try held.add(part.amount)
        } else if !isExpired {
          try remaining.add(part.amount)
        }
      }
    }
    return LiveLot(
      number: lot.lot, source: lot.source, environment: purchase.identity.environment, price: row?.price,
      purchase: purchase.number, granted: lot.amount, remaining: remaining, held: held)
  }

  /// Returns the net amounts that the purchase's refunds took from each of its lots.
  private func refunded(_ purchase: PurchaseRow) throws(LedgerError) -> [LotNumber: Int64] {
    var taken: [LotNumber: Int64] = [:]
    guard purchase.refund != nil else { return taken }
    let refunds: [RefundRow] = try snapshot.rows(RefundRow.ofPurchase, [IndexKey(purchase.number)])
    for refund in refunds {
      let parts = try snapshot.rows(RefundPartRow.ofTransaction, [IndexKey(refund.transaction)])
      for part in parts where part.kind == .taken && part.source == part.lot {
        try taken[part.lot, default: 0].add(part.amount)
      }
    }
    return taken
  }
}

extension Consumption.Delivery {
  /// - Parameter order: The order that the purchase paid for; nil if there is none.
  fileprivate init(_ order: OrderRow?) {
    if order?.isWithdrawn == true {
      self = .withdrawn
    } else {
      self = order?.state == .deliveryPending ? .pending : .delivered
    }
  }
}
