internal import GemLedger
internal import StoreBackend

/// A receipt as it enters the queue.
///
/// It is immutable and shared by the item, the events and all readers, which would otherwise copy a dozen texts each.
final class QueuedReceipt: Sendable {
  let key: ReceiptKey
  let buyer: CustomerID
  let receipt: StoreReceipt
  let signedAt: Timestamp
  /// The variable part of a transaction: whether it is trusted, and its refund.
  let revision: String
  let bundleID: String
  let storeProductID: String
  let product: ProductCode?
  let quantity: Int64
  let price: Money?
  let source: ReceiptPost.Source
  let order: PurchaseCode?
  let seenAt: Timestamp
  /// The grants of the whole purchase, as far as the client knows; empty if the buyer is not a customer of this device.
  let grants: [Adjustment]
  /// Whether this device began the purchase, and therefore knows its order.
  let isAnnounced: Bool

  convenience init(
    _ evidence: StoreEvidence, buyer: CustomerID, product: KnownProduct?, source: ReceiptPost.Source,
    order: PurchaseCode?, seenAt: Timestamp, isProvisional: Bool = true, isAnnounced: Bool = false
  ) {
    let transaction = evidence.transaction
    self.init(
      key: evidence.key, buyer: buyer, receipt: evidence.receipt, signedAt: transaction.signedAt,
      revision: evidence.revision, bundleID: transaction.bundleID, storeProductID: transaction.storeProductID,
      product: product?.code, quantity: transaction.quantity, price: transaction.price, source: source, order: order,
      seenAt: seenAt,
      grants: isProvisional && transaction.revocation == nil ? product?.grants(times: transaction.quantity) ?? [] : [],
      isAnnounced: isAnnounced)
  }

  init(
    key: ReceiptKey, buyer: CustomerID, receipt: StoreReceipt, signedAt: Timestamp, revision: String, bundleID: String,
    storeProductID: String, product: ProductCode?, quantity: Int64, price: Money?, source: ReceiptPost.Source,
    order: PurchaseCode?, seenAt: Timestamp, grants: [Adjustment], isAnnounced: Bool = false
  ) {
    self.key = key
    self.buyer = buyer
    self.receipt = receipt
    self.signedAt = signedAt
    self.revision = revision
    self.bundleID = bundleID
    self.storeProductID = storeProductID
    self.product = product
    self.quantity = quantity
    self.price = price
    self.source = source
    self.order = order
    self.seenAt = seenAt
    self.grants = grants
    self.isAnnounced = isAnnounced
  }

  /// Whether the device could not verify the evidence.
  var isUnverified: Bool { revision.utf8.starts(with: StoreEvidence.unverifiedMark.utf8) }

  /// Returns the newer evidence of the same transaction with the buyer, the order and the arrival of this one.
  func replaced(by newer: QueuedReceipt) -> QueuedReceipt {
    QueuedReceipt(
      key: newer.key, buyer: buyer, receipt: newer.receipt, signedAt: newer.signedAt, revision: newer.revision,
      bundleID: newer.bundleID, storeProductID: newer.storeProductID, product: newer.product,
      quantity: newer.quantity, price: newer.price, source: newer.source, order: order ?? newer.order, seenAt: seenAt,
      grants: newer.grants, isAnnounced: isAnnounced || newer.isAnnounced)
  }
}

extension QueuedReceipt: Hashable {
  /// Returns whether both have equal contents.
  static func == (left: QueuedReceipt, right: QueuedReceipt) -> Bool {
    left === right
      || left.key == right.key && left.buyer == right.buyer && left.receipt == right.receipt
        && left.signedAt == right.signedAt && left.revision == right.revision && left.bundleID == right.bundleID
        && left.storeProductID == right.storeProductID && left.product == right.product
        && left.quantity == right.quantity && left.price == right.price && left.source == right.source
        && left.order == right.order && left.seenAt == right.seenAt && left.grants == right.grants
        && left.isAnnounced == right.isAnnounced
  }

  /// Hashes only the key, which is nearly always unique.
  func hash(into hasher: inout Hasher) { hasher.combine(key) }
}
