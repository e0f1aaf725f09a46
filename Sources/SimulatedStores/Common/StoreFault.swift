public import StoreClient

/// A single misbehaviour of a simulated store: the API, the timing and the effect.
///
/// ```swift
/// try store.inject(StoreFault(.networkCutAfter, on: .purchase))                  // the next purchase
/// try store.inject(StoreFault(.failure(.systemError), on: .finish, .nth(3)))     // the third finish from now
/// try store.inject(StoreFault(.duplicate, on: .updates, .chance(percent: 20)))   // one update in five
/// ```
public struct StoreFault: Hashable, Sendable {
  /// When a fault occurs, counted in calls of its API from the moment it is injected.
  public enum Timing: Hashable, Sendable {
    /// At the next call, and never again.
    case once
    /// At every call, until the faults are cleared.
    case always
    /// At the call with this number, from 1, and never again.
    case nth(Int64)
    /// At each of the next calls, this many times.
    case times(Int64)
    /// At a call with this chance, drawn from the store's seed.
    case chance(percent: Int64)
  }

  /// The effect of a fault.
  public enum Effect: Hashable, Sendable {
    /// The call fails without an effect.
    case failure(StoreFailure)
    /// The request is lost, and nothing happens. A notice is lost for ever.
    case networkCutBefore
    /// The answer is lost after the effect. A purchase is delivered through the updates.
    case networkCutAfter
    /// The device cannot verify the evidence that it gets.
    case unverified(VerificationFailure)
    /// The customer cancels; no payment.
    case cancel
    /// The customer pays, and the store reports a cancellation; the purchase is delivered through the updates.
    case reportsCancelled
    /// The customer pays, and the store reports a pending purchase; it is delivered through the updates.
    case reportsPending
    /// Another person must approve first, as with `askToBuyEnabled`, or on Google Play a slow payment.
    case askToBuy
    /// The purchase is interrupted, as with `interruptedPurchasesEnabled`.
    case interrupt
    /// A purchase is in no list, and an update or a notice is not delivered, until this time has passed.
    case delay(Duration)
    /// The answer takes this long.
    case slow(Duration)
    /// The update or the notice is delivered twice; a purchase is delivered through the updates as well.
    case duplicate
    /// The update or the notice is delivered after the next one; a sync delivers an update too.
    case reorder
  }

  /// The effect of a fault.
  public var effect: Effect
  /// The API at which it occurs.
  public var api: StoreAPI
  /// The timing of its occurrences.
  public var timing: Timing
  /// The only affected store account; nil for all accounts.
  public var account: String?
  /// The only affected device name; nil for all devices.
  public var device: String?

  /// Makes a fault; by default it affects the next call, of any account and device.
  public init(
    _ effect: Effect, on api: StoreAPI, _ timing: Timing = .once, account: String? = nil, device: String? = nil
  ) {
    self.effect = effect
    self.api = api
    self.timing = timing
    self.account = account
    self.device = device
  }
}

/// A set of faults that belong together.
public struct FaultPlan: Hashable, Sendable, ExpressibleByArrayLiteral {
  /// The faults; if several affect one call, all apply, and the first failure takes precedence.
  public var faults: [StoreFault]

  /// A plan.
  public init(_ faults: [StoreFault]) { self.faults = faults }

  /// A plan.
  public init(arrayLiteral elements: StoreFault...) { faults = elements }

  /// A plan with every possible fault of a store, each at random, after which money and gems still agree as far as a
  /// backend can know.
  ///
  /// A refund is known to the store alone if its notice is lost and no device learns of it.
  public static func chaos(percent: Int64) -> FaultPlan {
    let calls: [StoreAPI] = [.loadProducts, .purchase, .finish, .unfinished, .all, .currentEntitlements, .appStoreSync]
    var faults = calls.flatMap { api in
      [StoreFault.Effect.networkCutBefore, .networkCutAfter, .failure(.systemError)].map {
        StoreFault($0, on: api, .chance(percent: percent))
      }
    }
    let purchases: [StoreFault.Effect] = [
      .reportsCancelled, .reportsPending, .delay(.seconds(60)), .duplicate, .cancel, .askToBuy,
    ]
    faults += purchases.map { StoreFault($0, on: .purchase, .chance(percent: percent)) }
    let deliveries: [StoreFault.Effect] = [.networkCutBefore, .delay(.seconds(60)), .duplicate, .reorder]
    faults += [StoreAPI.updates, .notices].flatMap { api in
      deliveries.map { StoreFault($0, on: api, .chance(percent: percent)) }
    }
    return FaultPlan(faults)
  }
}

extension StoreFault {
  /// The reason why the fault could never occur; nil for a valid fault.
  var problem: String? {
    switch timing {
    case .once, .always: break
    case .nth(let count), .times(let count): if count < 1 { return "The count \(count) is invalid; use 1 or more." }
    case .chance(let percent): if !(1...100).contains(percent) { return "A chance is 1 to 100 percent." }
    }
    guard effect.fits(api) else { return "The call \(api.rawValue) cannot go wrong like this: \(effect.text)." }
    guard !api.isDelivery || device == nil else { return "Deliveries go wrong for an account, not for one device." }
    return nil
  }
}

extension StoreFault.Effect {
  fileprivate func fits(_ api: StoreAPI) -> Bool {
    switch self {
    case .failure, .networkCutAfter: api != .verification && !api.isDelivery
    case .networkCutBefore: api != .verification
    case .unverified: [.verification, .purchase, .updates].contains(api)
    case .cancel, .reportsCancelled, .reportsPending, .askToBuy, .interrupt: api == .purchase
    case .delay, .duplicate: api == .purchase || api.isDelivery
    case .slow: api != .verification && !api.isDelivery
    case .reorder: api.isDelivery
    }
  }
}

// Text for readers: the enumerations' default descriptions contain module names. Interpolation of an enumeration would
// search all conformances of the program, several times.
extension StoreFault.Effect {
  /// The text of the effect, such as `networkCutAfter`, `systemError` or `delay 60s`.
  package var text: String {
    switch self {
    case .failure(let failure): failure.rawValue
    case .unverified(let failure): "unverified \(failure.rawValue)"
    case .delay(let length): "delay \(length.components.seconds)s"
    case .slow(let length): "slow \(length.components.seconds)s"
    case .networkCutBefore: "networkCutBefore"
    case .networkCutAfter: "networkCutAfter"
    case .cancel: "cancel"
    case .reportsCancelled: "reportsCancelled"
    case .reportsPending: "reportsPending"
    case .askToBuy: "askToBuy"
    case .interrupt: "interrupt"
    case .duplicate: "duplicate"
    case .reorder: "reorder"
    }
  }
}

extension StoreFault.Timing {
  /// The text of the timing, such as `once`, `always`, `call 3`.
  package var text: String {
    switch self {
    case .once: "once"
    case .always: "always"
    case .nth(let number): "call \(number)"
    case .times(let count): "\(count) calls"
    case .chance(let percent): "\(percent) of 100 calls"
    }
  }
}
