import GemLedger

/// A demo script that `demo` runs.
struct DemoScript: Sendable {
  /// One command line.
  struct Step: Sendable {
    /// The explanation of the step, or nil if it needs none.
    let said: String?
    /// The line as a user types it; its words have no spaces and no quotation marks.
    ///
    /// A word in braces is replaced by the id last printed under this name, or by a time: `{hold}`, `{tomorrow}`.
    let line: String
    /// The expected exit status.
    let status: Int32
    /// The number of days that pass before it.
    let daysBefore: Int64

    init(_ line: String, _ said: String? = nil, status: Int32 = 0, daysBefore: Int64 = 0) {
      self.line = line
      self.said = said
      self.status = status
      self.daysBefore = daysBefore
    }
  }

  let name: String
  let summary: String
  /// A further hint for running the script by hand, as the end of a sentence.
  var hint = ""
  /// A file that the script needs, which `cat` shows.
  var file: (name: String, text: String)?
  let steps: [Step]

  /// The customer of the script.
  static let customer = "alice"
  static let all = [gems, economy]

  /// Returns the demo script of that name; the first if the name is nil.
  ///
  /// - Throws: ``UsageError``.
  static func named(_ name: String?) throws(UsageError) -> DemoScript {
    guard let name else { return gems }
    guard let script = all.first(where: { $0.name == name }) else {
      let names = all.map(\.name).joined(separator: ", ")
      throw UsageError("there is no demo \(name.quotedForPeople); the demos are: \(names)", verb: .named("demo"))
    }
    return script
  }

  private static let gems = DemoScript(
    name: "gems", summary: "a store that sells gems for money, and things for gems",
    steps: [
      Step("gemctl init", "A home with the currency GEM, three packs of gems, and two items to spend them on."),
      Step("gemctl offerings", "The products that the app offers."),
      Step("gemctl buy gems_1200", "Alice buys a pack. After the payment it is credited, exactly once."),
      Step("gemctl balance"),
      Step("gemctl spend GEM=50 --key order-17", "She spends some. The key identifies this order."),
      Step(
        "gemctl spend GEM=50 --key order-17", "The answer was lost, so the app asks again: the order is charged once."),
      Step("gemctl spend --item extra_life", "The price of an item is the price in the catalog."),
      Step(
        "gemctl spend --item legendary_skin", "A spend above the balance is refused, and nothing changes.", status: 2),
      Step("gemctl balance"),
      Step("gemctl history", "Every change is in the history, newest first."),
      Step("gemctl verify", "The journal proves that the books add up."),
    ])
}
