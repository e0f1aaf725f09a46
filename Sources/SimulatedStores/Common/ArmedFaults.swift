internal import GemLedger
internal import StoreClient

/// A call as faults see it.
struct FaultCall: Hashable, Sendable {
  var api: StoreAPI
  var account: String
  var device: String
}

/// A fault with its count of calls so far.
struct ArmedFault: Hashable, Sendable {
  var number: Int64
  var fault: StoreFault
  /// How many calls it has seen.
  var calls: Int64 = 0

  func sees(_ call: FaultCall) -> Bool {
    fault.api == call.api && fault.account?.hasBytes(of: call.account) ?? true
      && fault.device?.hasBytes(of: call.device) ?? true
  }

  /// Returns whether it affects the next call that it sees.
  func strikes(_ generator: StoreGenerator) -> Bool {
    switch fault.timing {
    case .once: calls == 0
    case .always: true
    case .nth(let count): calls + 1 == count
    case .times(let count): calls < count
    case .chance(let percent):
      generator.draw(UInt64(bitPattern: calls), for: UInt64(bitPattern: number)) % 100 < UInt64(percent)
    }
  }

  /// Whether it can never occur again.
  var isSpent: Bool {
    switch fault.timing {
    case .once: calls >= 1
    case .nth(let count), .times(let count): calls >= count
    case .always, .chance: false
    }
  }
}

/// The faults of a shop, with their counts.
struct ArmedFaults: Sendable {
  private(set) var armed: [ArmedFault] = []
  private var nextNumber: Int64 = 1

  /// Returns whether a fault watches such calls.
  func watches(_ call: FaultCall) -> Bool { armed.contains { $0.sees(call) } }

  /// Returns the effects of the faults on the call, in the order of injection.
  func effects(on call: FaultCall, _ generator: StoreGenerator) -> [StoreFault.Effect] {
    armed.filter { $0.sees(call) && $0.strikes(generator) }.map(\.fault.effect)
  }

  /// Counts the call.
  mutating func count(_ call: FaultCall) {
    for index in armed.indices where armed[index].sees(call) { armed[index].calls += 1 }
    armed.removeAll(where: \.isSpent)
  }

  func adding(_ faults: [StoreFault]) -> [ArmedFault] {
    armed + zip(nextNumber..., faults).map { ArmedFault(number: $0, fault: $1) }
  }

  mutating func replace(with armed: [ArmedFault]) {
    self.armed = armed
    nextNumber = max(nextNumber, (armed.map(\.number).max() ?? 0) + 1)
  }
}

extension [StoreFault.Effect] {
  /// Why the call fails before anything happens.
  var failureBefore: StoreFailure? {
    for effect in self {
      switch effect {
      case .failure(let failure): return failure
      case .networkCutBefore: return .networkError
      default: continue
      }
    }
    return nil
  }

  var cutsAfter: Bool { contains(.networkCutAfter) }

  var unverified: VerificationFailure? {
    for case .unverified(let failure) in self { return failure }
    return nil
  }

  /// The longest delay.
  var delay: Duration? { compactMap { if case .delay(let delay) = $0 { delay } else { nil } }.max() }

  /// How long the answer takes.
  var slowness: Duration? { compactMap { if case .slow(let delay) = $0 { delay } else { nil } }.max() }
}
