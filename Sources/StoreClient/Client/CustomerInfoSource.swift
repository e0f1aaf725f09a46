internal import GemLedger
internal import StoreBackend
internal import Synchronization

/// Requests the customer's info from the backend, and keeps the answer while it is fresh.
struct CustomerInfoSource: ClientPart {
  let context: ClientContext

  /// Returns the info of the signed-in customer: from the cache if it is fresh, otherwise from the backend.
  func current() async throws(LedgerError) -> CustomerInfo {
    let now = configuration.clock.now()
    if let fresh = context.session.withLock({ $0.freshInfo(at: now) }) {
      log(.debug, "The customer info in the cache is fresh.")
      return fresh
    }
    do throws(LedgerError) { return try await fetch() } catch {
      guard PostVerdict(error.code) != .deadLetter, var info = cached else { throw error }
      info.isStale = true
      return info
    }
  }

  /// The last known info.
  var cached: CustomerInfo? { context.session.withLock { $0.info } }

  /// Makes the next ``current()`` ask the backend.
  func invalidate() {
    context.session.withLock { session in
      session.isInfoFresh = false
      session.infoGeneration += 1
    }
  }

  func purchaseHistory(page: Int, size: Int) async throws(LedgerError) -> [PurchaseRecord] {
    do throws(LedgerError) {
      return try await backend.purchases(of: appUserID, page: page, size: size)
    } catch  where error.code == .customerNotFound {
      return []
    }
  }

  /// Requests the state again if it has a listener; by default only if it was known before.
  func refreshForListeners(ofUnknown: Bool = false) async {
    guard context.delegateCalls.listener.object != nil || context.infoBroadcast.hasListeners else { return }
    guard ofUnknown || cached != nil else { return }
    do throws(LedgerError) { _ = try await current() } catch {
      log(.debug, "The customer info could not be requested: \(error)")
    }
  }

  func fetch(of wanted: CustomerID? = nil) async throws(LedgerError) -> CustomerInfo {
    let (current, generation) = context.session.withLock { ($0.identity.customer, $0.infoGeneration) }
    let info = CustomerInfo(try await backend.customer(wanted ?? current))
    if wanted ?? current == current { take(info, askedIn: generation) }
    return info
  }

  /// Keeps an answer, unless an event has happened since its request.
  func take(_ info: CustomerInfo, askedIn generation: UInt64) {
    let isNew = context.session.withLock { session in
      if generation != session.infoGeneration { return false }
      session.registered.insert(session.identity.customer)
      let isNew =
        session.info?.record.entitlements != info.record.entitlements
        || session.info?.record.nonSubscriptions != info.record.nonSubscriptions
      session.info = info
      session.isInfoFresh = true
      return isNew
    }
    if isNew { publish() }
  }

  /// Returns the buyer's state after a credit: it includes this purchase even if the backend cannot be reached.
  func info(after answer: ReceiptAnswer?, _ buyer: CustomerID) async -> CustomerInfo {
    let now = configuration.clock.now()
    let known = context.session.withLock { $0.identity.customer == buyer ? $0.freshInfo(at: now) : nil }
    if let known { return known }
    do throws(LedgerError) {
      return try await fetch(of: buyer)
    } catch {
      var info = last(of: buyer)
      guard let answer, answer.booking.customer == buyer || info.record.ids.contains(answer.booking.customer) else {
        return info
      }
      if !answer.purchase.productType.isSubscription { info.add(answer.purchase, at: now) }
      if let entitlement = answer.entitlement { info.add(entitlement) }
      return info
    }
  }

  /// Returns the customer's last known state for a failed request; only the id if no state is known.
  func last(of customer: CustomerID) -> CustomerInfo {
    let now = configuration.clock.now()
    let known = context.session.withLock { $0.identity.customer == customer ? $0.info : nil }
    var info =
      known
      ?? CustomerInfo(
        CustomerRecord(
          customer: customer, originalID: customer, ids: [customer], firstSeenAt: now, asOf: now, entitlements: [],
          nonSubscriptions: []))
    info.isStale = true
    return info
  }

  /// Sends the known state to the app, which another task may have changed since the event.
  func publish() {
    let (info, client) = context.session.withLock { ($0.info, $0.client) }
    if let info, let client { context.delegateCalls.send { $0.purchases(client, receivedUpdated: info) } }
    context.infoBroadcast.send { cached }
  }
}
