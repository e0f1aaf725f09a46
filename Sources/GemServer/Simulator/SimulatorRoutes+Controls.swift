#if Server
internal import GemLedger
internal import SimulatedStores
internal import SystemHTTP

// Faults and the clock.
extension SimulatorRoutes {
  var faults: [Route] { [listFaults, addFault, clearFaults] }

  private var listFaults: Route {
    route(
      "GET", "/faults", "list_simulated_faults", "Lists the faults that can still occur.", query: Page.parameters,
      answer: Schema.page(of: SimulatorSchemas.fault)
    ) { (simulator, call) async throws(LedgerError) in try Self.faultList(simulator, call) }
  }

  private var addFault: Route {
    route(
      "POST", "/faults", "add_simulated_fault", "Lets calls of apps to the store go wrong, as the store's faults do.",
      body: .object(SimulatorSchemas.faultFields), answer: SimulatorSchemas.fault
    ) { (simulator, call) async throws(LedgerError) in
      let fault = try Self.fault(in: call.body)
      try simulator.shop.inject(fault)
      return .json(200, SimulatorDocument.fault(fault))
    }
  }

  private var clearFaults: Route {
    route(
      "DELETE", "/faults", "clear_simulated_faults", "Ends all faults, or those of one call; lists the others.",
      query: [Parameter("api", .word(StoreAPI.allCases.map(\.rawValue)), "Only faults of this call.")]
        + Page.parameters, answer: Schema.page(of: SimulatorSchemas.fault)
    ) { (simulator, call) async throws(LedgerError) in
      try simulator.shop.clearFaults(on: call.query["api"]?.text.flatMap(StoreAPI.init(rawValue:)))
      return try Self.faultList(simulator, call)
    }
  }

  /// Faults have no ids, so the cursor is the index in the list.
  private static func faultList(_ simulator: Simulator, _ call: Call) throws(LedgerError) -> HTTPResponse {
    try Page(of: Array(simulator.shop.faults.enumerated()), call, cursor: { "\($0.offset)" }) {
      SimulatorDocument.fault($0.element)
    }.response(to: call)
  }

  private static func fault(in body: JSONObject) throws(LedgerError) -> StoreFault {
    let length = body["delay_seconds"]?.integer
    let word = body["effect"]?.text ?? ""
    guard length == nil || word == StoreFault.Effect.delayWord else {
      throw .parameter("delay_seconds", "goes with \"\(StoreFault.Effect.delayWord)\"")
    }
    guard let api = body["api"]?.text.flatMap(StoreAPI.init(rawValue:)),
      let effect = StoreFault.Effect(word: word, delay: .seconds(length ?? 60))
    else { throw .parameter("effect", "is not known here") }
    return StoreFault(
      effect, on: api, try timing(in: body), account: body["store_account"]?.text, device: body["device"]?.text)
  }

  private static func timing(in body: JSONObject) throws(LedgerError) -> StoreFault.Timing {
    let (word, count) = (body["timing"]?.text ?? "always", body["count"]?.integer)
    let needsCount = ["nth", "times", "chance"].contains(word)
    guard needsCount == (count != nil) else {
      throw .parameter("count", needsCount ? "is missing" : "goes with nth, times and chance")
    }
    switch word {
    case "once": return .once
    case "nth": return .nth(count ?? 1)
    case "times": return .times(count ?? 1)
    case "chance": return .chance(percent: count ?? 1)
    default: return .always
    }
  }

  // MARK: The clock

  var clock: [Route] { [showClock, advanceClock] }

  private var showClock: Route {
    route(
      "GET", "/clock", "get_simulated_clock", "Returns the current time of the store and the ledger.",
      answer: SimulatorSchemas.clock
    ) { simulator, _ in .json(200, .object(SimulatorDocument.clock(simulator))) }
  }

  private var advanceClock: Route {
    route(
      "POST", "/clock", "advance_simulated_clock",
      "Moves the time of the store and of the ledger ahead; renewals, expiries and deadlines happen when they are due.",
      body: .object([
        Schema.Field(
          "advance_seconds", .integer(1...ClockWalk.daysMax * 86_400), "The length, up to \(ClockWalk.daysMax) days.",
          isRequired: true)
      ]), answer: SimulatorSchemas.passage
    ) { (simulator, call) async throws(LedgerError) in
      let outcome = try await simulator.advanceClock(by: .seconds(call.body["advance_seconds"]?.integer ?? 0))
      let codes = try SimulatorDocument.Codes(simulator)
      var object = SimulatorDocument.clock(simulator)
      object["purchases"] = .array(
        outcome.value.purchases.map { .object(SimulatorDocument.purchase($0, codes)) })
      object["settled"] = .integer(Int64(outcome.value.settled))
      object["stopped"] = .bool(outcome.value.isStopped)
      object["notice_error"] = outcome.noticeFailure.map(SimulatorDocument.error) ?? .null
      return .json(200, .object(object))
    }
  }
}
#endif
