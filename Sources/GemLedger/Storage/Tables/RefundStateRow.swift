/// The clawed-back share of a purchase after its newest refund; purchases without a refund have no row.
package struct RefundStateRow: Hashable, Sendable {
  package var purchase: Int64
  package var share: RefundShare
  /// The date of the newest notice at that time.
  package var evidenceAt: Timestamp
  /// The newest refund.
  package var transaction: TransactionNumber

  package init(purchase: Int64, share: RefundShare, evidenceAt: Timestamp, transaction: TransactionNumber) {
    self.purchase = purchase
    self.share = share
    self.evidenceAt = evidenceAt
    self.transaction = transaction
  }
}

/// The newest refund of each purchase.
extension RefundStateRow: StoredRow {
  package static let table: StaticString = "refund_states"
  package static var blank: Self {
    Self(purchase: 0, share: .none, evidenceAt: Timestamp(milliseconds: 0), transaction: 0)
  }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.number("purchase", &purchase, .derived)
    columns.share("share", "share_of", &share, .derived)
    columns.date("evidence_at", &evidenceAt, .derived)
    columns.transaction("transaction_number", &transaction, .derived)
  }
}
