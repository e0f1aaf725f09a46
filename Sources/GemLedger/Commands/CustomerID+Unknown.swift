// Placeholder customers of commands on a transaction, until the rule has found its owner.

extension CustomerID {
  /// A placeholder for a customer while the transaction's owner is unknown.
  init(ofNobody transaction: TransactionID) { self.init(unchecked: transaction.description) }

  /// A placeholder for a customer while the owner of the store transaction is unknown.
  init(ofNobody transactionID: StoreTransactionID) {
    self.init(unchecked: String(transactionID.text.unicodeScalars.prefix(Limits.customerIDBytes / 4)))
  }
}
