internal import GemLedger
internal import SimulatedStores
internal import StoreBackend
internal import StoreClient

/// A fault that is injected during an event.
package struct InjectedFault: Hashable, Sendable, CustomStringConvertible {
  enum Kind: Hashable, Sendable {
    /// The app's process ends at a crossing between it and the world.
    case death(Int)
    /// A call to the backend goes wrong.
    case backend(FaultyBackend.Fault, call: Int, name: String)
    /// A call to the store goes wrong.
    case store(StoreFault.Effect, StoreAPI, call: Int64)
  }

  let kind: Kind

  /// A few words, such as `dies at crossing 4`.
  package var description: String {
    switch kind {
    case .death(let number): "dies at crossing \(number)"
    case .backend(_, let call, let name): "backend call \(call): \(name)"
    case .store(let effect, let api, let call): "store call \(call) of \(api.rawValue): \(effect)"
    }
  }

  /// The name under which it is counted.
  var name: String {
    switch kind {
    case .death: "process_death"
    case .backend(_, _, let name): "backend_\(name)"
    case .store(let effect, let api, _): "store_\(api.rawValue)_\(Self.name(of: effect))"
    }
  }

  /// Draws one.
  init(_ generator: inout SimulationGenerator, _ settings: Simulation.Settings) {
    kind =
      switch generator.below(10) {
      case 0..<4: .death(1 + generator.below(12))
      case 4..<7: Self.backend(&generator)
      default: Self.store(&generator)
      }
  }

  private static func backend(_ generator: inout SimulationGenerator) -> Kind {
    let call = 1 + generator.below(4)
    // A permanent refusal that is not true makes a dead letter, which the end of the run requeues.
    if generator.percent(4) { return .backend(.refused(.productNotFound), call: call, name: "product_not_found") }
    switch generator.below(5) {
    case 0: return .backend(.networkLostBeforeEffect, call: call, name: "lost_before")
    case 1: return .backend(.networkLostAfterEffect, call: call, name: "lost_after")
    case 2: return .backend(.timesOut, call: call, name: "timed_out")
    case 3: return .backend(.rateLimited(retryAfterSeconds: 30), call: call, name: "rate_limited")
    default:
      let code = generator.one(of: codes)
      return .backend(.refused(code), call: call, name: code.description)
    }
  }

  private static let codes: [LedgerError.Code] = [
    .unauthenticated, .forbidden, .storageUnavailable, .inProgress, .outcomeUnknown, .unexpected, .storageDamaged,
  ]

  private static func store(_ generator: inout SimulationGenerator) -> Kind {
    let choices: [StoreAPI] = [
      .purchase, .purchase, .purchase, .finish, .finish, .unfinished, .updates, .all, .notices, .notices, .notices,
    ]
    let api = generator.one(of: choices)
    let common: [StoreFault.Effect] = [.networkCutBefore, .networkCutAfter, .failure(.systemError)]
    let effect: StoreFault.Effect =
      switch api {
      case .purchase:
        generator.one(
          of: common + [.reportsCancelled, .reportsPending, .delay(.seconds(60)), .duplicate, .failure(.networkError)])
      case .updates, .notices: generator.one(of: [.networkCutBefore, .delay(.seconds(60)), .duplicate, .reorder])
      default: generator.one(of: common)
      }
    return .store(effect, api, call: 1 + Int64(generator.below(2)))
  }

  private static func name(of effect: StoreFault.Effect) -> String {
    switch effect {
    case .failure(let failure): "failure_\(failure.rawValue)"
    case .networkCutBefore: "cut_before"
    case .networkCutAfter: "cut_after"
    case .unverified: "unverified"
    case .cancel: "cancel"
    case .reportsCancelled: "reports_cancelled"
    case .reportsPending: "reports_pending"
    case .askToBuy: "ask_to_buy"
    case .interrupt: "interrupt"
    case .delay: "delay"
    case .slow: "slow"
    case .duplicate: "duplicate"
    case .reorder: "reorder"
    }
  }
}
