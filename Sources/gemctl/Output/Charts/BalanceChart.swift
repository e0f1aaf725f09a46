import GemLedger

/// A customer's balances over time, a panel for each currency.
struct BalanceChart {
  /// At how many instants the balances are asked for.
  static let pointCount = 240

  let svg: String

  private static let height = 200.0

  /// The instants to ask for, evenly spread over the period, both ends among them.
  static func instants(from: Timestamp, until: Timestamp) -> [Timestamp] {
    let length = Int128(until.milliseconds) - Int128(from.milliseconds)
    return (0...pointCount).map {
      Timestamp(milliseconds: Int64(Int128(from.milliseconds) + length * Int128($0) / Int128(pointCount)))
    }
  }

  init(_ customer: CustomerID, _ course: [(time: Timestamp, balances: [Balance])]) {
    var chart = Chart(title: "Balances of \(customer)")
    let codes = course.last?.balances.map(\.currency) ?? []
    for code in codes {
      let amounts = course.map { point in point.balances.first { $0.currency == code }?.balance ?? 0 }
      // A currency that the customer never had is not drawn, unless it is the only one.
      if amounts.contains(where: { $0 != 0 }) || codes.count == 1 {
        Self.draw(code, course.map(\.time), amounts, on: &chart)
      }
    }
    svg = chart.svg
  }

  private static func draw(_ code: CurrencyCode, _ times: [Timestamp], _ amounts: [Int64], on chart: inout Chart) {
    let top = chart.makeRoom(height + 70)
    chart.write("\(code)", x: Chart.left, y: top + 20, name: "panel")
    let axis = Axis(low: amounts.min() ?? 0, high: amounts.max() ?? 0, top: top + 36, height: height)
    axis.draw(on: &chart)
    let step = (Chart.width - Chart.left - Chart.right) / Double(max(1, times.count - 1))
    // A balance is constant until it changes: steps, not slopes.
    var points: [(x: Double, y: Double)] = []
    for (index, amount) in amounts.enumerated() {
      let x = Chart.left + step * Double(index)
      if let last = points.last, last.y != axis.y(amount) { points.append((x, last.y)) }
      points.append((x, axis.y(amount)))
    }
    let color = FlowChart.color(of: .purchase)
    chart.area(
      [(Chart.left, axis.y(0))] + points + [(Chart.left + step * Double(max(0, times.count - 1)), axis.y(0))],
      fill: color)
    chart.line(points, name: "course", stroke: color)
    drawTimes(times, step: step, y: top + height + 56, on: &chart)
  }

  private static func drawTimes(_ times: [Timestamp], step: Double, y: Double, on chart: inout Chart) {
    guard let first = times.first, let last = times.last else { return }
    // Less than two days: the hours matter, and the date does not.
    let isShort = last.milliseconds - first.milliseconds < 2 * 86_400_000
    for part in 0...6 {
      let index = (times.count - 1) * part / 6
      let text = times[index].description
      let shown = isShort ? text.dropFirst(11).prefix(8) : text.prefix(10)
      chart.write(
        String(shown), x: Chart.left + step * Double(index), y: y,
        anchor: part == 0 ? "start" : part == 6 ? "end" : "middle")
    }
  }
}
