import GemLedger

/// `sweep`: books the due scheduled effects.
struct SweepCommand {
  let invocation: Invocation

  func run() throws {
    var seen: Int64 = 0
    var bar = ProgressBar("Sweeping", total: nil, terminal: invocation.terminal)
    let booked = try invocation.withLedger { (ledger) throws(LedgerError) in
      defer { bar.finish() }
      return try ledger.sweep { count in
        seen = Int64(count)
        bar.advance(to: count)
      }
    }
    try invocation.print(["settled": .integer(Int64(booked)), "customers": .integer(seen)]) { _ in
      let due = booked == 0 ? "nothing was due" : "something was due for \(AmountText.grouped(Int64(booked)))"
      return "Looked at \(AmountText.counted(seen, "customer")): \(due).\n"
    }
  }
}
