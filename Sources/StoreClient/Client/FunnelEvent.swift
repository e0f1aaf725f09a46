public import GemLedger
internal import Synchronization

/// A step of the purchase funnel, from opening the app to a credited purchase.
public struct FunnelEvent: Hashable, Sendable {
  /// The step: closed, so that a `switch` needs no default.
  public enum Name: String, Hashable, Sendable, CaseIterable {
    /// The client was made.
    case sdkInit = "sdk_init"
    /// The shop was opened.
    case purchaseInitiated = "purchase_initiated"
    /// A product was tapped.
    case productSelected = "product_selected"
    /// The payment begins.
    case paymentInit = "sdk_payment_init"
    /// The store took the money.
    case paymentCallbackSuccess = "sdk_payment_callback_success"
    /// The store failed.
    case paymentCallbackFail = "sdk_payment_callback_fail"
    /// The customer cancelled.
    case paymentCallbackCancel = "sdk_payment_callback_cancel"
    /// The receipt goes to the backend.
    case paymentValidated = "sdk_payment_validated"
    /// The backend credited it.
    case paymentValidatedSuccess = "sdk_payment_validated_success"
    /// The backend refused it, or could not be reached.
    case paymentValidatedFail = "sdk_payment_validated_fail"
    /// The store knows the credit.
    case paymentCompleted = "sdk_payment_completed"
    /// A purchase with its revenue.
    case purchase = "af_purchase"
  }

  /// The step.
  public let name: Name
  /// The time of the step.
  public let at: Timestamp
  /// The product's id at the store, if the step has one.
  public var productID: String?
  /// The number of units.
  public var quantity: Int64?
  /// The exact price paid; for ``Name/purchase`` if the store states it.
  public var revenue: Money?
  /// The store's id of the purchase.
  public var storeTransactionID: StoreTransactionID?

  /// ISO 4217 of the revenue.
  public var currency: String? { revenue?.currency }
}

/// Sends funnel events to listeners, and keeps the first events for a late first listener.
final class Funnel: Sendable {
  private struct State {
    var isEnabled: Bool
    /// The events before the first listener; empty after that.
    var early: [FunnelEvent] = []
    var wasHeard = false
  }

  private static let earlyCountMax = 64

  private let state: Mutex<State>
  private let broadcast = Broadcast<FunnelEvent>(buffer: .bufferingOldest(1024))
  private let clock: StoreClock

  init(isEnabled: Bool, clock: StoreClock) {
    state = Mutex(State(isEnabled: isEnabled))
    self.clock = clock
  }

  var isEnabled: Bool {
    get { state.withLock { $0.isEnabled } }
    set { state.withLock { $0.isEnabled = newValue } }
  }

  func stream() -> AsyncStream<FunnelEvent> {
    broadcast.stream {
      state.withLock { state in
        defer {
          state.early = []
          state.wasHeard = true
        }
        return state.early
      }
    }
  }

  func send(_ name: FunnelEvent.Name, _ fill: (inout FunnelEvent) -> Void = { _ in }) {
    let isWanted = state.withLock { $0.isEnabled && ($0.wasHeard || $0.early.count < Self.earlyCountMax) }
    guard isWanted else { return }
    var event = FunnelEvent(name: name, at: clock.now())
    fill(&event)
    let isHeard = state.withLock { state in
      if !state.wasHeard { state.early.append(event) }
      return state.wasHeard
    }
    if isHeard { broadcast.send(event) }
  }

  func finish() { broadcast.finish() }
}
