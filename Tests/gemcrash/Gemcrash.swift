/// Plays one purchase on files and lets it go wrong at a chosen step, for tests of the next start.
///
///     gemcrash DIRECTORY ACCESS strike SCENARIO STEP FAULT BUILD
///     gemcrash DIRECTORY ACCESS crash-after-payment
///     gemcrash DIRECTORY ACCESS refund-while-closed
///     gemcrash DIRECTORY ACCESS buy-until-killed
///     gemcrash DIRECTORY ACCESS relaunch SCENARIO
///
/// The directory holds a ledger with a catalog, `ledger.sqlite`. It says `struck` once the fault has struck, and
/// `bought` after each purchase that succeeded.
@main
enum Gemcrash {
  static func main() async {
    let arguments = CommandLine.arguments.dropFirst()
    guard let directory = arguments.first, let access = arguments.dropFirst().first.flatMap(Access.init(rawValue:)),
      let verb = arguments.dropFirst(2).first
    else { usage() }
    System.end(afterSeconds: 120)
    let home = CrashHome(directory, access)
    let rest = arguments.dropFirst(3)
    do {
      switch verb {
      case "strike":
        guard let cell = Cell(arguments: rest) else { usage() }
        try await Play.strike(cell, in: home)
      case "crash-after-payment": try await Play.crashAfterPayment(in: home)
      case "refund-while-closed": try await Play.refundWhileClosed(in: home)
      case "buy-until-killed": try await Play.buyUntilKilled(in: home)
      case "relaunch":
        guard let scenario = rest.first.flatMap(Scenario.init(rawValue:)) else { usage() }
        try await Play.relaunch(scenario, in: home)
      default: usage()
      }
    } catch {
      System.fail("\(error)")
    }
    // Background work ends as it does when a system ends an app.
    System.end()
  }

  private static func usage() -> Never {
    System.fail(
      "usage: gemcrash DIRECTORY direct|http|http-breaking-off "
        + "strike|crash-after-payment|refund-while-closed|buy-until-killed|relaunch …")
  }
}
