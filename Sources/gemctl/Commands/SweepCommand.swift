import GemLedger

/// `sweep`: books the due scheduled effects.
struct SweepCommand {
  let invocation: Invocation

  func run() throws {
    let (booked, seen) = try sweep()
    let json: JSONValue = ["settled": .integer(Int64(booked)), "customers": .integer(Int64(seen))]
    let customers = "\(AmountText.grouped(Int64(seen))) customer\(seen == 1 ? "" : "s")"
    let found =
      booked == 0 ? "nothing was due" : "something was due for \(AmountText.grouped(Int64(booked)))"
    try invocation.print(json, { _ in "Looked at \(customers): \(found).\n" })
  }

  private func sweep() throws(LedgerError) -> (booked: Int, seen: Int) {
    var bar = ProgressBar("Sweeping", total: nil, terminal: invocation.terminal)
    defer { bar.finish() }
    var seen = 0
    let booked = try invocation.withLedger { (ledger) throws(LedgerError) in
      try ledger.sweep { count in
        seen = count
        bar.advance(to: count)
      }
    }
    return (booked, seen)
  }
}
