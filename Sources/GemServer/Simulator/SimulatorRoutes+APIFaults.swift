#if Server
internal import GemLedger
internal import SystemHTTP

// Faults of the store's simulated server: the Play Developer API, or the App Store Server API.
extension SimulatorRoutes {
  var apiFaults: [Route] { [listAPIFaults, addAPIFault, clearAPIFaults] }

  /// The calls and the error statuses of the simulated store's server.
  private var server: (calls: [String], statuses: [Int64]) {
    google == nil
      ? (SimulatedAppStore.Operation.allCases.map(\.rawValue), SimulatedAppStore.statuses)
      : (SimulatedGoogle.Call.allCases.map(\.rawValue), SimulatedGoogle.statuses)
  }

  private var faultFields: [Schema.Field] {
    [
      Schema.Field("call", .nullable(.word(server.calls)), "The call; null for every call."),
      Schema.Field(
        "status", .nullable(.integer(400...503)),
        "The refusal: \(server.statuses.map(String.init).joined(separator: ", ")); null for a delay alone."),
      Schema.Field(
        "delay_milliseconds", .integer(0...SimulatedAPIFaults.delayMax), "The delay of the answer; 0 by default."),
      Schema.Field("after", .boolean, "Whether the work is done before the refusal, as if the answer were lost."),
      Schema.Field(
        "times", .nullable(.integer(1...SimulatedAPIFaults.timesMax)),
        "The number of calls; 1 by default, null until the faults are cleared."),
    ]
  }

  private var faultList: Schema {
    Schema.page(
      of: .object(
        [.always("object", .word(["simulator.api_fault"]))]
          + faultFields.map { Schema.Field($0.name, $0.schema, $0.help, isRequired: true) }))
  }

  private var listAPIFaults: Route {
    route(
      "GET", "/api-faults", "list_simulated_api_faults", "Lists the faults of the store's server that can still occur.",
      query: Page.parameters, answer: faultList
    ) { (simulator, call) async throws(LedgerError) in try Self.list(simulator, call) }
  }

  private var addAPIFault: Route {
    let statuses = server.statuses
    return route(
      "POST", "/api-faults", "add_simulated_api_fault",
      "Makes calls to the store's server fail: late, refused, or done with the answer lost.",
      body: .object(faultFields), answer: faultList
    ) { (simulator, call) async throws(LedgerError) in
      let times = call.body["times"]
      let fault = SimulatedAPIFaults.Fault(
        call: call.body["call"]?.text, status: call.body["status"]?.integer,
        delayMilliseconds: call.body["delay_milliseconds"]?.integer ?? 0,
        isAfterWork: call.body["after"]?.bool ?? false, times: times.map { $0.integer } ?? 1)
      guard fault.status.map(statuses.contains) ?? true else {
        throw .parameter("status", "is none of the store's: \(statuses.map(String.init).joined(separator: ", "))")
      }
      guard fault.status != nil || fault.delayMilliseconds > 0 else {
        throw .parameter("status", "is missing, and there is no delay")
      }
      try simulator.apiFaults.add(fault)
      return try Self.list(simulator, call)
    }
  }

  private var clearAPIFaults: Route {
    route(
      "DELETE", "/api-faults", "clear_simulated_api_faults", "Ends all faults of the store's server.",
      query: Page.parameters, answer: faultList
    ) { (simulator, call) async throws(LedgerError) in
      simulator.apiFaults.clear()
      return try Self.list(simulator, call)
    }
  }

  /// Faults have no ids, so the cursor is the index in the list.
  private static func list(_ simulator: Simulator, _ call: Call) throws(LedgerError) -> HTTPResponse {
    try Page(of: Array(simulator.apiFaults.all.enumerated()), call, cursor: { "\($0.offset)" }) {
      let fault = $0.element
      return [
        "object": "simulator.api_fault", "call": JSONValue(fault.call), "status": JSONValue(fault.status),
        "delay_milliseconds": .integer(fault.delayMilliseconds), "after": .bool(fault.isAfterWork),
        "times": JSONValue(fault.times),
      ]
    }.response(to: call)
  }
}
#endif
