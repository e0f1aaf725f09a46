/// A drawing as an SVG file, readable on light and dark backgrounds.
struct Chart {
  static let width = 960.0
  static let right = 24.0

  let title: String
  /// The left edge of the drawing, after the widest amount.
  let left: Double
  private(set) var height = 64.0
  private var body = ""

  /// - Parameters:
  ///   - axes: The axes to be drawn, wherever they will be.
  ///   - names: The names of rows, left of the drawing.
  init(title: String, axes: [Axis] = [], names: [String] = []) {
    self.title = title
    left = max(88, 16 + 7.2 * Double((axes.map(\.labelLength) + names.map(\.count)).max() ?? 0))
  }

  /// Makes room below the existing content; returns its top.
  mutating func makeRoom(_ height: Double) -> Double {
    let top = self.height
    self.height += height
    return top
  }

  mutating func rectangle(
    x: Double, y: Double, width: Double, height: Double, fill: String, opacity: Double = 1, title: String
  ) {
    guard height > 0 else { return }
    let fill = opacity < 1 ? "\(fill)\" fill-opacity=\"\(Self.text(opacity))" : fill
    body +=
      "<rect x=\"\(Self.text(x))\" y=\"\(Self.text(y))\" width=\"\(Self.text(width))\" height=\"\(Self.text(height))\" "
      + "fill=\"\(fill)\"><title>\(Self.escaped(title))</title></rect>\n"
  }

  mutating func line(_ points: [(x: Double, y: Double)], name: String, stroke: String? = nil) {
    let color = stroke.map { " style=\"stroke:\($0)\"" } ?? ""
    body += "<polyline class=\"\(name)\"\(color) points=\"\(Self.path(points))\"/>\n"
  }

  /// Draws a line over time, with the area between it and zero.
  mutating func course(_ points: [(x: Double, y: Double)], zero: Double, color: String) {
    guard let first = points.first, let last = points.last else { return }
    let area = Self.path([(first.x, zero)] + points + [(last.x, zero)])
    body += "<polygon fill=\"\(color)\" fill-opacity=\"0.15\" points=\"\(area)\"/>\n"
    line(points, name: "course", stroke: color)
  }

  private static func path(_ points: [(x: Double, y: Double)]) -> String {
    points.map { "\(text($0.x)),\(text($0.y))" }.joined(separator: " ")
  }

  mutating func write(_ text: String, x: Double, y: Double, anchor: String = "start", name: String = "label") {
    body +=
      "<text class=\"\(name)\" x=\"\(Self.text(x))\" y=\"\(Self.text(y))\" text-anchor=\"\(anchor)\">"
      + "\(Self.escaped(text))</text>\n"
  }

  /// Coloured squares with names, side by side as far as they fit.
  mutating func legend(_ entries: [(name: String, color: String)]) {
    var x = left
    var y = makeRoom(26)
    for entry in entries {
      let width = 30 + 7.2 * Double(entry.name.count)
      if x + width > Self.width - Self.right, x > left { (x, y) = (left, makeRoom(22)) }
      rectangle(x: x, y: y, width: 12, height: 12, fill: entry.color, title: entry.name)
      write(entry.name, x: x + 18, y: y + 10.5)
      x += width
    }
  }

  /// The whole file.
  var svg: String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.text(Self.width)) \(Self.text(height))" \
    width="\(Self.text(Self.width))" height="\(Self.text(height))" role="img">
    <title>\(Self.escaped(title))</title>
    <style>
    .paper { fill: #ffffff }
    text { font: 12px system-ui, "DejaVu Sans", sans-serif; fill: #424a53 }
    text.title { font-size: 18px; font-weight: 600; fill: #1f2328 }
    text.panel { font-size: 14px; font-weight: 600; fill: #1f2328 }
    polyline { fill: none; stroke-width: 2 }
    polyline.grid { stroke: #d8dee4; stroke-width: 1 }
    polyline.zero { stroke: #57606a; stroke-width: 1.5 }
    @media (prefers-color-scheme: dark) {
    .paper { fill: #0d1117 }
    text { fill: #b1bac4 }
    text.title, text.panel { fill: #f0f6fc }
    polyline.grid { stroke: #30363d }
    polyline.zero { stroke: #8b949e }
    }
    </style>
    <rect class="paper" width="100%" height="100%"/>
    <text class="title" x="\(Self.text(left))" y="36">\(Self.escaped(title))</text>
    \(body)</svg>

    """
  }

  // MARK: Writing

  /// Returns the number with at most two decimals: a tenth of the visible precision.
  private static func text(_ number: Double) -> String {
    let hundredths = Int64((number * 100).rounded())
    let (whole, rest) = hundredths.magnitude.quotientAndRemainder(dividingBy: 100)
    let sign = hundredths < 0 ? "-" : ""
    if rest == 0 { return "\(sign)\(whole)" }
    return "\(sign)\(whole).\(rest < 10 ? "0" : "")\(rest)"
  }

  static func escaped(_ text: String) -> String {
    var escaped = ""
    // By code points: with a combining mark, a sign is another character here, and the same sign in XML.
    for scalar in SafeText.escaped(text).unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}

/// The positions of amounts on a chart.
package struct Axis {
  package let low: Int64
  package let high: Int64
  package let step: Int64
  private let top: Double
  private let height: Double

  /// - Parameters:
  ///   - amounts: The amounts on the axis, which always has 0 too.
  ///   - top: The position of the highest amount.
  package init(of amounts: [Int64], top: Double = 0, height: Double = 1) {
    let (low, high) = (min(0, amounts.min() ?? 0), max(0, amounts.max() ?? 0))
    let step = Self.step((Double(high) - Double(low)) / 5)
    self.step = step
    // Whole steps, so that the lowest and highest amounts have lines too.
    self.low = Int64(clamping: -((Int128(-Int128(low)) + Int128(step) - 1) / Int128(step)) * Int128(step))
    self.high = max(Int64(clamping: (Int128(high) + Int128(step) - 1) / Int128(step) * Int128(step)), step)
    self.top = top
    self.height = height
  }

  func y(_ amount: Int64) -> Double {
    top + height * (Double(high) - Double(amount)) / (Double(high) - Double(low))
  }

  /// Returns the smallest 1, 2 or 5 times a power of ten that is at least as large.
  private static func step(_ least: Double) -> Int64 {
    var power: Int64 = 1
    while true {
      for digit: Int64 in [1, 2, 5] where Double(digit * power) >= least { return digit * power }
      let (next, overflow) = power.multipliedReportingOverflow(by: 10)
      if overflow || next > Int64.max / 10 { return power }
      power = next
    }
  }

  private var amounts: StrideThrough<Int64> { stride(from: low, through: high, by: Int64.Stride(step)) }

  /// How many characters its widest amount has.
  fileprivate var labelLength: Int { amounts.map { AmountText.grouped($0).count }.max() ?? 0 }

  /// Lines across the chart with their amounts.
  func draw(on chart: inout Chart) {
    for amount in amounts {
      let y = y(amount)
      chart.line(
        [(chart.left, y), (Chart.width - Chart.right, y)], name: amount == 0 ? "zero" : "grid")
      chart.write(AmountText.grouped(amount), x: chart.left - 8, y: y + 4, anchor: "end")
    }
  }
}
