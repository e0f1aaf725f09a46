package import GemLedger

/// A customer's balances over time, a panel for each currency.
package struct BalanceChart {
  /// At how many instants the balances are asked for.
  package static let pointCount = 240

  /// A balance from an instant on.
  package struct Point {
    package let time: Timestamp
    package let amount: Int64

    package init(time: Timestamp, amount: Int64) {
      self.time = time
      self.amount = amount
    }
  }

  package let svg: String

  private static let height = 200.0

  /// The instants to ask for, evenly spread over the period, both ends among them.
  package static func instants(from: Timestamp, until: Timestamp) -> [Timestamp] {
    let length = Int128(until.milliseconds) - Int128(from.milliseconds)
    return (0...pointCount).map {
      Timestamp(milliseconds: Int64(Int128(from.milliseconds) + length * Int128($0) / Int128(pointCount)))
    }
  }

  /// - Parameter courses: The points by currency, in order of time, all with the same first and last instant.
  package init(_ customer: CustomerID, _ courses: [(code: CurrencyCode, points: [Point])], zone: DaysOfZone) {
    // A currency that the customer never had is not drawn, unless it is the only currency.
    let drawn = courses.filter { course in course.points.contains { $0.amount != 0 } || courses.count == 1 }
    var chart = Chart(
      title: "Balances of \(customer), \(zone.name)", axes: drawn.map { Axis(of: $0.points.map(\.amount)) })
    for course in drawn { Self.draw(course.code, course.points, zone, on: &chart) }
    svg = chart.svg
  }

  private static func draw(_ code: CurrencyCode, _ course: [Point], _ zone: DaysOfZone, on chart: inout Chart) {
    guard let start = course.first?.time, let end = course.last?.time else { return }
    let top = chart.makeRoom(height + 70)
    chart.write("\(code)", x: chart.left, y: top + 20, name: "panel")
    let axis = Axis(of: course.map(\.amount), top: top + 36, height: height)
    axis.draw(on: &chart)
    let span = max(1, Double(end.milliseconds) - Double(start.milliseconds))
    let (left, width) = (chart.left, Chart.width - chart.left - Chart.right)
    func x(_ time: Timestamp) -> Double {
      left + width * (Double(time.milliseconds) - Double(start.milliseconds)) / span
    }
    // A balance is constant until it changes: steps, not slopes.
    var points: [(x: Double, y: Double)] = []
    for point in course {
      let (x, y) = (x(point.time), axis.y(point.amount))
      if let last = points.last, last.y != y { points.append((x, last.y)) }
      points.append((x, y))
    }
    chart.course(points, zero: axis.y(0), color: FlowChart.color(of: .purchase))
    for tick in zone.ticks(from: start, until: end, limit: max(2, Int(width / 110))) {
      // The outermost must not stand out of the drawing.
      let x = min(max(x(tick.time), left + 32), left + width - 32)
      chart.write(tick.text, x: x, y: top + height + 56, anchor: "middle")
    }
  }
}
