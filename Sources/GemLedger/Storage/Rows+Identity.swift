/// Two customers became one; part of the journal.
///
/// The row of an unmerge names the customer that was split off (``into``, the customer of the transaction) and the
/// survivor (``from``).
package struct MergeRow: Hashable, Sendable {
  package var transaction: TransactionNumber
  package var from: CustomerNumber
  package var into: CustomerNumber

  package init(transaction: TransactionNumber, from: CustomerNumber, into: CustomerNumber) {
    self.transaction = transaction
    self.from = from
    self.into = into
  }
}

/// A customer that is now part of another customer.
package struct MergedCustomerRow: Hashable, Sendable {
  /// The survivor.
  package var customer: CustomerNumber
  package var merged: CustomerNumber

  package init(customer: CustomerNumber, merged: CustomerNumber) {
    self.customer = customer
    self.merged = merged
  }
}

/// An additional id of a customer, next to the original id.
package struct AddedIDRow: Hashable, Sendable {
  package var customer: CustomerNumber
  package var id: CustomerID

  package init(customer: CustomerNumber, id: CustomerID) {
    self.customer = customer
    self.id = id
  }
}

/// The attributes of a lot when it was made, without its amounts; part of the journal.
package struct LotAttributesRow: Hashable, Sendable {
  package var lot: LotNumber
  package var source: LotSource
  package var environment: Int64
  package var price: Money?
  package var purchase: Int64?
  /// Milliseconds; `.max` for never.
  package var expiresAt: Int64
  /// The lot that the currency was in before a transfer or an exchange; 0 for none.
  package var originalLot: LotNumber

  package init(
    lot: LotNumber, source: LotSource, environment: Int64, price: Money?, purchase: Int64?, expiresAt: Int64,
    originalLot: LotNumber = 0
  ) {
    self.lot = lot
    self.source = source
    self.environment = environment
    self.price = price
    self.purchase = purchase
    self.expiresAt = expiresAt
    self.originalLot = originalLot
  }

  package init(of row: LotRow, originalLot: LotNumber = 0) {
    self.init(
      lot: row.number, source: row.source, environment: row.environment, price: row.price, purchase: row.purchase,
      expiresAt: row.expiresAt, originalLot: originalLot)
  }
}
