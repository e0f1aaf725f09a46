internal import GemLedger

extension EconomySummary {
  init(
    asOf: Timestamp, isComplete: Bool, progress: Double, _ places: [SummaryPlace: SummaryCounts],
    _ definitions: CurrencyDefinitions
  ) {
    (self.asOf, self.isComplete, self.progress) = (asOf, isComplete, progress)
    var (currencies, hours, days): ([Currency], [Activity], [Activity]) = ([], [], [])
    for (place, counts) in places {
      switch place {
      case .currency(let number):
        guard isComplete, let currency = definitions.currency(number: number) else { continue }
        currencies.append(Currency(currency.code, counts))
      case .hour(let hour): hours.append(Activity(from: hour, hours: 1, counts, definitions))
      case .day(let day): days.append(Activity(from: day * 24, hours: 24, counts, definitions))
      }
    }
    self.currencies = currencies.sorted { $0.currency < $1.currency }
    self.hours = hours.sorted { $0.from < $1.from }
    self.days = days.sorted { $0.from < $1.from }
  }

  /// The name of an environment's kind.
  fileprivate static func name(of kind: Int64) -> String {
    StoreEnvironment.Kind(rawValue: kind).map { StoreEnvironment(kind: $0, session: nil).description } ?? "unknown"
  }
}

extension EconomySummary.Currency {
  fileprivate init(_ currency: CurrencyCode, _ counts: SummaryCounts) {
    self.currency = currency
    debt = counts[SummaryCounter(.debt)] ?? 0
    let kinds = Set(counts.keys.filter { $0.name != .debt }.map(\.number)).sorted()
    environments = kinds.map { EconomySummary.Holdings(of: $0, counts) }
  }
}

extension EconomySummary.Holdings {
  fileprivate init(of kind: Int64, _ counts: SummaryCounts) {
    environment = EconomySummary.name(of: kind)
    paid = counts[SummaryCounter(.paid, kind)] ?? 0
    free = counts[SummaryCounter(.free, kind)] ?? 0
    held = counts[SummaryCounter(.held, kind)] ?? 0
    let prices = counts.keys.filter { $0.name == .units && $0.number == kind }.map(\.price).sorted()
    var values = prices.map { price in
      Unspent.Value(
        units: counts[SummaryCounter(.units, kind, price: price)] ?? 0,
        price: Money(minorUnits: counts[SummaryCounter(.value, kind, price: price)] ?? 0, currency: price))
    }
    let unpriced = paid - values.reduce(0) { $0 + $1.units }
    if unpriced != 0 { values.append(Unspent.Value(units: unpriced, price: nil)) }
    self.values = values
  }
}

extension EconomySummary.Activity {
  fileprivate init(from hour: Int64, hours: Int64, _ counts: SummaryCounts, _ definitions: CurrencyDefinitions) {
    from = Timestamp(milliseconds: hour * 3_600_000)
    until = Timestamp(milliseconds: (hour + hours) * 3_600_000)
    var (flows, transactions): ([Flows.Flow], [EntryKind: Int64]) = ([], [:])
    var purchases: [(counter: SummaryCounter, count: Int64)] = []
    for (counter, amount) in counts {
      let kind = EntryKind(rawValue: counter.kind)
      switch counter.name {
      case .inflow, .outflow:
        let inflow = counts[SummaryCounter(.inflow, counter.number, kind: kind)]
        let outflow = counts[SummaryCounter(.outflow, counter.number, kind: kind)]
        // A kind with both is found twice.
        guard counter.name == .inflow || inflow == nil, let kind,
          let currency = definitions.currency(number: counter.number),
          let flow = Flows.Flow(ofAll: currency.code, kind, inflow: inflow ?? 0, outflow: outflow ?? 0)
        else { continue }
        flows.append(flow)
      case .transactions: if let kind { transactions[kind] = amount }
      case .purchases: purchases.append((counter, amount))
      case .paid, .free, .held, .debt, .units, .value, .revenue: continue
      }
    }
    self.flows = flows.sorted(by: Flows.Flow.precedes)
    self.transactions = transactions
    self.purchases = purchases.sorted { ($0.counter.number, $0.counter.price) < ($1.counter.number, $1.counter.price) }
      .map { counter, count in
        let revenue = counts[SummaryCounter(.revenue, counter.number, price: counter.price)] ?? 0
        return EconomySummary.Purchases(
          environment: EconomySummary.name(of: counter.number), count: count,
          price: counter.price.isEmpty ? nil : Money(minorUnits: revenue, currency: counter.price))
      }
  }
}
