import GemLedger
import GemLedgerAudit
import LedgerCharts

/// `flows`: the inflows and outflows of currency, day by day.
struct FlowsCommand {
  let invocation: Invocation

  func run() throws {
    try invocation.checkForm()
    let zone = try invocation.days()
    let (from, until) = (try time("--from", zone), try time("--until", zone))
    guard from < until else { throw invocation.usageError("--from must be before --until") }
    let boundaries = zone.boundaries(from: from, until: until, limit: Ledger.flowDaysMax + 1)
    let flows = try invocation.withProgress("Reading") { (ledger, progress) throws(LedgerError) in
      try ledger.flows(between: boundaries, progress: progress)
    }
    if let path = invocation.parsed.value("--svg") {
      try FileAccess.replace(path, FlowChart(flows, zone: zone, now: invocation.now()).svg)
    }
    let table = Self.table(flows, zone)
    try invocation.print(Self.json(flows, zone), csv: table) { style in
      table.text(style: style, none: "Nothing flowed.")
        + (table.isEmpty ? "" : style.dim("days of \(zone.name)") + "\n")
    }
  }

  private func time(_ option: String, _ zone: DaysOfZone) throws(UsageError) -> Timestamp {
    let text = invocation.parsed.required(option)
    guard let time = zone.time(text) else {
      throw invocation.usageError(
        "\(option) takes a day, such as 2026-11-21, or a time with its zone; got \(text.quotedForPeople)")
    }
    return time
  }

  private static func json(_ flows: Flows, _ zone: DaysOfZone) -> JSONValue {
    let days = flows.days.map { day -> JSONValue in
      [
        "day": .string(zone.day(of: day.from)), "from": .string(day.from.description),
        "until": .string(day.until.description),
        "flows": .array(day.flows) {
          [
            "currency": .string($0.currency.description), "kind": .string($0.kind.name), "in": .integer($0.inflow),
            "out": .integer($0.outflow),
          ]
        },
        "outstanding": .object(day.outstanding.sorted { $0.key < $1.key }) { ($0.key.description, .integer($0.value)) },
      ]
    }
    return ["zone": .string(zone.name), "days": .array(days)]
  }

  /// Days on which nothing flowed are left out.
  private static func table(_ flows: Flows, _ zone: DaysOfZone) -> Table {
    flows.days.flatMap { day in day.flows.map { (day, $0) } }.table([
      .left("DAY") { zone.day(of: $0.0.from) }, .left("CURRENCY", \.1.currency.description),
      .left("KIND", \.1.kind.name), .amount("IN", \.1.inflow), .amount("OUT", \.1.outflow),
      .amount("OUTSTANDING") { day, flow in day.outstanding[flow.currency] ?? 0 },
    ])
  }
}
