internal import StoreBackend
package import StoreClient

/// A device's updates for a reader that polls, instead of waiting for them in a task.
///
/// As with the streams, the first one since the app's start begins with the unfinished transactions; it ends with the
/// app.
package struct UpdateInbox: Sendable {
  private let poll: @Sendable () -> StoreEvidence?

  init<Shop: KeptShop>(
    _ keeper: ShopKeeper<Shop>, of name: DeviceName, redelivering unfinished: (borrowing Shop) -> [Delivery]
  ) {
    let feed = keeper.subscribe(name, redelivering: unfinished)
    poll = {
      guard let delivery = feed.poll() else { return nil }
      let evidence = keeper.evidence(delivery, to: name)
      keeper.step(.delivered(delivery.transaction.id))
      return evidence
    }
  }

  /// The next update, where one waits.
  package func take() -> StoreEvidence? { poll() }
}

extension StoreDevice {
  /// Returns the updates of ``updates()`` as an inbox.
  package func inbox() -> UpdateInbox {
    let name = account.name
    return UpdateInbox(account.store.keeper, of: DeviceName(account: name, device: self.name)) {
      $0.launchDeliveries(of: name)
    }
  }
}

extension PlayDevice {
  /// Returns the updates of ``updates()`` as an inbox.
  package func inbox() -> UpdateInbox {
    let name = account.name
    return UpdateInbox(account.store.keeper, of: DeviceName(account: name, device: self.name)) {
      $0.unfinished(of: name, after: nil, limit: .max)
    }
  }
}

extension SimulatedStore {
  /// The newest purchase request, with any outcome.
  package var newestTransaction: SimulatedTransaction? {
    keeper.look { shop in
      shop.rows[shop.lastSerial].map { SimulatedTransaction($0, shop.subscription(of: $0.transaction.id)) }
    }
  }
}

extension SimulatedPlayStore {
  /// The newest purchase request, with any outcome.
  package var newestPurchase: PlayPurchase? {
    keeper.look { shop in shop.rows[shop.lastSerial].map(PlayPurchase.init) }
  }
}
