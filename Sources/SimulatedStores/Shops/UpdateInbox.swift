internal import StoreBackend
package import StoreClient

/// A device's updates for a reader that polls, instead of waiting for them in a task.
///
/// As with the streams, the first one since the app's start begins with the unfinished transactions; it ends with the
/// app.
package struct UpdateInbox: Sendable {
  private let poll: @Sendable () -> StoreEvidence?

  init<Shop: StoreState>(
    _ engine: StoreEngine<Shop>, of name: DeviceName, redelivering unfinished: (borrowing Shop) -> [TransactionUpdate]
  ) {
    let feed = engine.subscribe(name, redelivering: unfinished)
    poll = {
      guard let update = feed.poll() else { return nil }
      let evidence = engine.evidence(update, to: name)
      engine.step(.delivered(update.transaction.id))
      return evidence
    }
  }

  /// Returns the next update, if any.
  package func take() -> StoreEvidence? { poll() }
}

extension StoreDevice {
  /// Returns the updates of ``updates()`` as an inbox.
  package func inbox() -> UpdateInbox {
    let name = account.name
    return UpdateInbox(account.store.engine, of: DeviceName(account: name, device: self.name)) {
      $0.lists.launchDeliveries(of: name)
    }
  }
}

extension PlayDevice {
  /// Returns the updates of ``updates()`` as an inbox.
  package func inbox() -> UpdateInbox {
    let name = account.name
    return UpdateInbox(account.store.engine, of: DeviceName(account: name, device: self.name)) {
      $0.unfinished(of: name, after: nil, limit: .max)
    }
  }
}

extension SimulatedStore {
  /// The newest purchase request, with any outcome.
  package var newestTransaction: SimulatedTransaction? {
    engine.look { shop in
      shop.rows[shop.lastSerial].map { SimulatedTransaction($0, shop.subscription(of: $0.transaction.id)) }
    }
  }
}

extension SimulatedPlayStore {
  /// The newest purchase request, with any outcome.
  package var newestPurchase: PlayPurchase? {
    engine.look { shop in shop.rows[shop.lastSerial].map(PlayPurchase.init) }
  }
}
