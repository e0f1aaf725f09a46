internal import GemLedger

extension Identity {
  /// Creates the signed-in customer at the client's start: from the configuration, else from the last run, else a new
  /// anonymous customer.
  ///
  /// - Throws: `LedgerError` of the event log.
  init(
    _ wanted: CustomerID?, in queue: ReceiptQueue, _ configuration: StoreClient.Configuration
  ) throws(LedgerError) {
    let last = queue.read { $0.identity }
    if let wanted {
      // Sharing is off if the app names the signed-in customer, unless it was enabled for that customer.
      let known = last.flatMap { $0.customer == wanted ? $0 : nil }
      self = known ?? Identity(customer: wanted, allowsSharing: false)
    } else {
      self = last ?? Identity(customer: AppUserID.anonymous(configuration.randomness), allowsSharing: true)
    }
    if self != last, configuration.keepsIdentity { try queue.record([.identity(self)]) }
  }
}
