public import StoreClient

/// One way in which a simulated store misbehaves: where, when, and how.
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
    /// At the next so many calls.
    case times(Int64)
    /// At a call in so many of a hundred, as the store's seed has it.
    case chance(percent: Int64)
  }

  /// The effect of a fault.
  public enum Effect: Hashable, Sendable {
    /// The call fails; nothing happened.
    case failure(StoreFailure)
    /// The request is lost on its way: nothing happened. A notice is lost for ever.
    case networkCutBefore
    /// The answer is lost on its way: it happened. A purchase comes through the updates.
    case networkCutAfter
    /// The device cannot verify the evidence that it gets.
    case unverified(VerificationFailure)
    /// The customer cancels; no payment.
    case cancel
    /// The customer pays, and the store says that the customer turned back; it comes through the updates.
    case reportsCancelled
    /// The customer pays, and the store says that it is pending; it comes through the updates.
    case reportsPending
    /// Another person must approve first, as with `askToBuyEnabled`, or on Google Play a slow payment.
    case askToBuy
    /// The purchase is interrupted, as with `interruptedPurchasesEnabled`.
    case interrupt
    /// A purchase shows in no list, and an update or a notice does not come, until so much later.
    case delay(Duration)
    /// The answer takes so long.
    case slow(Duration)
    /// The update or the notice comes twice; a purchase comes through the updates as well.
    case duplicate
    /// The update or the notice comes after the next one; a sync brings an update too.
    case reorder
  }

  /// The effect of a fault.
  public var effect: Effect
  /// Where.
  public var api: StoreAPI
  /// When.
  public var timing: Timing
  /// Only for this store account, where it is not nil.
  public var account: String?
  /// Only on devices of this name, where it is not nil.
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

/// Faults that belong together.
public struct FaultPlan: Hashable, Sendable, ExpressibleByArrayLiteral {
  /// The faults; where several affect one call, all do, the first failure first.
  public var faults: [StoreFault]

  /// A plan.
  public init(_ faults: [StoreFault]) { self.faults = faults }

  /// A plan.
  public init(arrayLiteral elements: StoreFault...) { faults = elements }

  /// Everything that can go wrong with a store, each at random, and still leave money and gems equal as far as a
  /// backend can know: a refund with a lost notice is known to the store alone, where no device learns of it.
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
  /// Why it could never occur; nil for a good one.
  var problem: String? {
    switch timing {
    case .once, .always: break
    case .nth(let count), .times(let count): if count < 1 { return "A count of \(count) calls never comes." }
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

// Written for readers: the enumerations' own descriptions contain the names of modules.
extension StoreFault.Effect {
  /// Such as `networkCutAfter`, `systemError` or `delay 60s`.
  package var text: String {
    switch self {
    case .failure(let failure): failure.rawValue
    case .unverified(let failure): "unverified \(failure.rawValue)"
    case .delay(let length): "delay \(length.components.seconds)s"
    case .slow(let length): "slow \(length.components.seconds)s"
    case .networkCutBefore, .networkCutAfter, .cancel, .reportsCancelled, .reportsPending, .askToBuy, .interrupt,
      .duplicate, .reorder:
      "\(self)"
    }
  }
}

extension StoreFault.Timing {
  /// Such as `once`, `always`, `call 3`.
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
