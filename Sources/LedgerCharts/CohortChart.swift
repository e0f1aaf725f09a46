import GemLedger
package import GemLedgerAudit

/// A table of cohorts: a row for each cohort, a cell for each period, darker with more spenders.
///
/// Each environment has a panel.
package struct CohortChart {
  package let svg: String

  private static let rowHeight = 28.0
  /// Narrower cells have no text.
  private static let textWidthMin = 52.0

  /// - Parameter cohorts: In the order of ``SalesReports/cohorts(between:progress:)``.
  package init(_ cohorts: [Cohort], zone: DaysOfZone) {
    var chart = Chart(
      title: "Spenders by time of the first purchase, \(zone.name)", names: cohorts.map { Self.name($0, zone) })
    var rest = cohorts[...]
    while let first = rest.first {
      let panel = rest.prefix { $0.environment == first.environment }
      rest = rest.dropFirst(panel.count)
      Self.draw(panel, zone, on: &chart)
    }
    if cohorts.isEmpty { chart.write("Nothing was bought.", x: chart.left, y: chart.makeRoom(40) + 20) }
    svg = chart.svg
  }

  private static func draw(_ cohorts: ArraySlice<Cohort>, _ zone: DaysOfZone, on chart: inout Chart) {
    let count = cohorts.map(\.periods.count).max() ?? 0
    guard let first = cohorts.first, count > 0 else { return }
    let top = chart.makeRoom(rowHeight * Double(cohorts.count) + 76) + 60
    chart.write(
      "\(EnvironmentText.name(first.environment)): spenders by period", x: chart.left, y: top - 34, name: "panel")
    let width = min(120, (Chart.width - chart.left - Chart.right) / Double(count))
    let every = max(1, Int((24 / width).rounded(.up)))
    for period in stride(from: 0, to: count, by: every) {
      chart.write("\(period)", x: chart.left + width * (Double(period) + 0.5), y: top - 10, anchor: "middle")
    }
    for (row, cohort) in cohorts.enumerated() {
      let y = top + rowHeight * Double(row)
      chart.write(name(cohort, zone), x: chart.left - 8, y: y + 18, anchor: "end")
      for (index, period) in cohort.periods.enumerated() {
        let (x, share) = (chart.left + width * Double(index), cohort.share(of: period.spenders))
        let title = "\(name(cohort, zone)), \(zone.day(of: period.from)): \(figures(period))"
        // Light enough for the text of both styles.
        chart.rectangle(
          x: x, y: y, width: width - 2, height: rowHeight - 2, fill: FlowChart.color(of: .purchase),
          opacity: 0.06 + 0.54 * Double(share) / 100, title: title)
        if width >= textWidthMin {
          chart.write("\(share) %", x: x + width / 2 - 1, y: y + 18, anchor: "middle", name: "panel")
        }
      }
    }
  }

  private static func figures(_ period: Cohort.Period) -> String {
    let amounts = period.spent.sorted { $0.key < $1.key }.map { "\(AmountText.grouped($0.value)) \($0.key)" }
    return (["\(AmountText.counted(period.spenders, "spender"))"] + amounts).joined(separator: ", ")
  }

  private static func name(_ cohort: Cohort, _ zone: DaysOfZone) -> String {
    "\(zone.day(of: cohort.from)): \(AmountText.grouped(cohort.size))"
  }
}

extension Cohort {
  /// The share of the cohort in percent, rounded down.
  package func share(of customers: Int64) -> Int64 { customers * 100 / size }
}
