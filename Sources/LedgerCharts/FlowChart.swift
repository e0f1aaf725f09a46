package import GemLedger
package import GemLedgerAudit

/// A chart of sources above zero and sinks below, one bar per day, stacked by kind.
///
/// Each currency has a panel, and below it a panel of the outstanding amount.
package struct FlowChart {
  package let svg: String

  private static let barsHeight = 260.0
  private static let lineHeight = 110.0

  /// - Parameter now: Of days after it nothing is known, and none is drawn.
  package init(_ flows: Flows, zone: DaysOfZone, now: Timestamp) {
    let days = flows.days.filter { $0.from <= now }
    let currencies = Set(days.flatMap(\.flows).map(\.currency)).sorted()
    var chart = Chart(
      title: "Sources and sinks per day, \(zone.name)",
      axes: currencies.flatMap { [Axis(of: Self.extremes(of: $0, days)), Axis(of: Self.outstanding(of: $0, days))] })
    let kinds = Set(days.flatMap(\.flows).map(\.kind)).sorted { $0.rawValue < $1.rawValue }
    chart.legend(kinds.map { ($0.name, Self.color(of: $0)) })
    for currency in currencies { Self.draw(currency, days, zone, on: &chart) }
    if currencies.isEmpty { chart.write("Nothing flowed.", x: chart.left, y: chart.makeRoom(40) + 20) }
    svg = chart.svg
  }

  /// Returns the largest outflow and inflow of a day.
  private static func extremes(of currency: CurrencyCode, _ days: [Flows.Day]) -> [Int64] {
    let flows = days.map { day in day.flows.filter { $0.currency == currency } }
    return [
      -(flows.map { $0.reduce(0) { $0 + $1.outflow } }.max() ?? 0),
      flows.map { $0.reduce(0) { $0 + $1.inflow } }.max() ?? 0,
    ]
  }

  private static func outstanding(of currency: CurrencyCode, _ days: [Flows.Day]) -> [Int64] {
    days.map { $0.outstanding[currency] ?? 0 }
  }

  private static func draw(_ currency: CurrencyCode, _ all: [Flows.Day], _ zone: DaysOfZone, on chart: inout Chart) {
    let top = chart.makeRoom(barsHeight + 60)
    chart.write("\(currency): in and out per day", x: chart.left, y: top + 26, name: "panel")
    let days = all.map { day in day.flows.filter { $0.currency == currency } }
    let axis = Axis(of: extremes(of: currency, all), top: top + 44, height: barsHeight - 20)
    axis.draw(on: &chart)
    let slot = (Chart.width - chart.left - Chart.right) / Double(days.count)
    for (index, day) in days.enumerated() {
      let name = zone.day(of: all[index].from)
      var (up, down): (Int64, Int64) = (0, 0)
      for flow in day {
        let x = chart.left + slot * (Double(index) + 0.12)
        for (low, high, change) in [
          (up, up + flow.inflow, flow.inflow), (-down - flow.outflow, -down, -flow.outflow),
        ] {
          chart.rectangle(
            x: x, y: axis.y(high), width: slot * 0.76, height: axis.y(low) - axis.y(high), fill: color(of: flow.kind),
            title: "\(name) \(flow.kind.name) \(AmountText.signed(change)) \(currency)")
        }
        up += flow.inflow
        down += flow.outflow
      }
    }
    // The line of zero again, over the bars.
    chart.line([(chart.left, axis.y(0)), (Chart.width - Chart.right, axis.y(0))], name: "zero")
    drawDays(all.map(\.from), slot: slot, zone, y: top + 44 + barsHeight - 2, on: &chart)
    drawOutstanding(currency, all, slot: slot, on: &chart)
  }

  private static func drawOutstanding(
    _ currency: CurrencyCode, _ days: [Flows.Day], slot: Double, on chart: inout Chart
  ) {
    let top = chart.makeRoom(lineHeight + 50)
    chart.write("\(currency): outstanding at the end of the day", x: chart.left, y: top + 20, name: "panel")
    let amounts = outstanding(of: currency, days)
    let axis = Axis(of: amounts, top: top + 36, height: lineHeight - 10)
    axis.draw(on: &chart)
    var points = amounts.enumerated().map { (x: chart.left + slot * (Double($0) + 0.5), y: axis.y($1)) }
    // One day alone is a line as well.
    if points.count == 1 { points = [(chart.left, points[0].y), (Chart.width - Chart.right, points[0].y)] }
    chart.course(points, zero: axis.y(0), color: color(of: .purchase))
  }

  /// Draws as many names of days as fit next to each other.
  private static func drawDays(
    _ days: [Timestamp], slot: Double, _ zone: DaysOfZone, y: Double, on chart: inout Chart
  ) {
    let every = max(1, Int((80 / slot).rounded(.up)))
    for (index, day) in days.enumerated() where index.isMultiple(of: every) {
      let x = chart.left + slot * (Double(index) + 0.5)
      // The last name must not exceed the drawing.
      guard x < Chart.width - Chart.right - 20 || days.count == 1 else { continue }
      chart.write(zone.day(of: day), x: x, y: y, anchor: "middle")
    }
  }

  /// Colours that differ in lightness too, and stand out from light and dark paper alike.
  static func color(of kind: EntryKind) -> String {
    switch kind {
    case .purchase: "#1f77d0"
    case .grant: "#3aa657"
    case .reversal: "#17a2a2"
    case .reversedRefund: "#7fb8f0"
    case .recharge: "#93cf5e"
    case .initial: "#8c8cf0"
    case .spend: "#e0662b"
    case .refund: "#c2305b"
    case .expiry: "#8a8f98"
    case .transfer: "#b07cc6"
    case .exchange: "#d8a21b"
    case .merge, .unmerge: "#a1795b"
    default: "#6e7781"
    }
  }
}
