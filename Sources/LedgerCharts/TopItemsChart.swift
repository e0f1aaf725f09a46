package import GemLedger
package import GemLedgerAudit

/// A chart of sold items as horizontal bars, with a panel for each environment and currency.
package struct TopItemsChart {
  package let svg: String

  /// The maximum number of bars in a panel.
  private static let barsMax = 30
  private static let rowHeight = 26.0
  private static let nameLengthMax = 28

  /// - Parameters:
  ///   - items: In the order of ``SalesReports/topItems(from:until:limit:progress:)``.
  ///   - from: The start of the period; nil for the start of the journal.
  ///   - until: The end of the period; nil for now.
  package init(_ items: [TopItem], from: Timestamp?, until: Timestamp?, zone: DaysOfZone) {
    let period = [from.map { "from \(zone.day(of: $0))" }, until.map { "until \(zone.day(of: $0))" }, zone.name]
    var chart = Chart(
      title: "Top items, \(period.compactMap { $0 }.joined(separator: ", "))",
      names: items.map { Self.name($0.item.text) })
    var rest = items[...]
    while let first = rest.first {
      let panel = rest.prefix { $0.environment == first.environment && $0.currency == first.currency }
      rest = rest.dropFirst(panel.count)
      Self.draw(panel.prefix(Self.barsMax), on: &chart)
    }
    if items.isEmpty { chart.write("Nothing was sold.", x: chart.left, y: chart.makeRoom(40) + 20) }
    svg = chart.svg
  }

  private static func draw(_ items: ArraySlice<TopItem>, on chart: inout Chart) {
    guard let first = items.first else { return }
    let top = chart.makeRoom(rowHeight * Double(items.count) + 56) + 40
    chart.write(
      "\(first.currency), \(EnvironmentText.name(first.environment))", x: chart.left, y: top - 14, name: "panel")
    let longest = Double(max(1, items.map(\.amount).max() ?? 1))
    let figuresLength = items.map { figures($0).count }.max() ?? 0
    let room = max(100, Chart.width - Chart.right - chart.left - 8 - 7.2 * Double(figuresLength))
    for (index, item) in items.enumerated() {
      let y = top + rowHeight * Double(index)
      let width = max(0, room * Double(item.amount) / longest)
      let figures = figures(item)
      chart.write(name(item.item.text), x: chart.left - 8, y: y + 14, anchor: "end")
      chart.rectangle(
        x: chart.left, y: y, width: width, height: rowHeight - 6, fill: FlowChart.color(of: .spend),
        title: "\(item.item.text): \(figures)")
      chart.write(figures, x: chart.left + width + 8, y: y + 14)
    }
    chart.line([(chart.left, top - 4), (chart.left, top + rowHeight * Double(items.count))], name: "zero")
  }

  private static func figures(_ item: TopItem) -> String {
    "\(AmountText.grouped(item.amount)) \(item.currency): \(AmountText.grouped(item.units)) sold, "
      + AmountText.counted(item.customers, "customer")
  }

  private static func name(_ text: String) -> String {
    text.count > nameLengthMax ? text.prefix(nameLengthMax - 1) + "…" : text
  }
}
