internal import GemLedger
internal import StoreBackend
internal import StoreClient

extension ArmedFault {
  func record() -> JSONValue {
    var writer = ShopRecordWriter()
    writer.put("number", number)
    writer.put("calls", calls)
    writer.put("api", fault.api.rawValue)
    writer.put("account", fault.account)
    writer.put("device", fault.device)
    let (timing, count) = fault.timing.words
    writer.put("timing", timing)
    writer.put("count", count)
    let (effect, argument) = fault.effect.words
    writer.put("effect", effect)
    writer["argument"] = argument
    return writer.json
  }

  init(reading record: ShopRecordReader) throws(LedgerError) {
    let timing = StoreFault.Timing(try record["timing"].text(), count: try record["count"].optional?.integer() ?? 0)
    let effect = StoreFault.Effect(try record["effect"].text(), argument: record["argument"].optional?.value)
    guard let timing, let effect else { throw ShopRecordReader.damaged("there is no such fault") }
    let fault = StoreFault(
      effect, on: try record["api"].word(), timing, account: try record["account"].optional?.text(),
      device: try record["device"].optional?.text())
    self.init(number: try record["number"].integer(), fault: fault, calls: try record["calls"].integer())
  }
}

extension StoreFault.Timing {
  fileprivate var words: (name: String, count: Int64?) {
    switch self {
    case .once: ("once", nil)
    case .always: ("always", nil)
    case .nth(let count): ("nth", count)
    case .times(let count): ("times", count)
    case .chance(let percent): ("chance", percent)
    }
  }

  fileprivate init?(_ name: String, count: Int64) {
    switch name {
    case "once": self = .once
    case "always": self = .always
    case "nth": self = .nth(count)
    case "times": self = .times(count)
    case "chance": self = .chance(percent: count)
    default: return nil
    }
  }
}

extension StoreFault.Effect {
  fileprivate var words: (name: String, argument: JSONValue?) {
    switch self {
    case .failure(let failure): ("failure", .string(failure.rawValue))
    case .networkCutBefore: ("network_cut_before", nil)
    case .networkCutAfter: ("network_cut_after", nil)
    case .unverified(let failure): ("unverified", .string(failure.rawValue))
    case .cancel: ("cancel", nil)
    case .reportsCancelled: ("reports_cancelled", nil)
    case .reportsPending: ("reports_pending", nil)
    case .askToBuy: ("ask_to_buy", nil)
    case .interrupt: ("interrupt", nil)
    case .delay(let duration): ("delay", .integer(duration.wholeMilliseconds))
    case .slow(let duration): ("slow", .integer(duration.wholeMilliseconds))
    case .duplicate: ("duplicate", nil)
    case .reorder: ("reorder", nil)
    }
  }

  fileprivate init?(_ name: String, argument: JSONValue?) {
    let plain: [String: Self] = [
      "network_cut_before": .networkCutBefore, "network_cut_after": .networkCutAfter, "cancel": .cancel,
      "reports_cancelled": .reportsCancelled, "reports_pending": .reportsPending, "ask_to_buy": .askToBuy,
      "interrupt": .interrupt, "duplicate": .duplicate, "reorder": .reorder,
    ]
    if let effect = plain[name] {
      self = effect
    } else if name == "failure", let failure = argument?.text.flatMap(StoreFailure.init(rawValue:)) {
      self = .failure(failure)
    } else if name == "unverified", let failure = argument?.text.flatMap(VerificationFailure.init(rawValue:)) {
      self = .unverified(failure)
    } else if name == "delay", let milliseconds = argument?.integer {
      self = .delay(.milliseconds(milliseconds))
    } else if name == "slow", let milliseconds = argument?.integer {
      self = .slow(.milliseconds(milliseconds))
    } else {
      return nil
    }
  }
}

extension SimulatedError {
  func record() -> JSONValue {
    var writer = ShopRecordWriter()
    switch self {
    case .store(let failure): writer.put("store", failure.rawValue)
    case .refundRequest(let failure): writer.put("refund_request", failure.rawValue)
    case .verification(let failure): writer.put("verification", failure.rawValue)
    }
    return writer.json
  }

  init(reading record: ShopRecordReader) throws(LedgerError) {
    if let failure: StoreFailure = try record["store"].optional?.word() {
      self = .store(failure)
    } else if let failure: RefundRequestFailure = try record["refund_request"].optional?.word() {
      self = .refundRequest(failure)
    } else {
      self = .verification(try record["verification"].word())
    }
  }
}
