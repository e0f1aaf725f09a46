/// A credited purchase with its frozen product.
package struct PurchaseRow: Hashable, Sendable {
  package var number: Int64
  package var identity: PurchaseIdentity
  package var customer: CustomerNumber
  package var transaction: TransactionNumber
  package var product: ProductCode
  package var quantity: Int64
  package var price: Money?
  package var purchasedAt: Timestamp
  /// The product's JSON document at the time of the purchase.
  package var frozenProduct: String
  /// The first transaction of the same subscription; nil if this is the first.
  package var originalTransactionID: StoreTransactionID?
  /// When the paid period ends, for a subscription.
  package var expiresAt: Timestamp?
  /// The grant of a purchase that granted a single amount, as in its transaction; nil for other purchases.
  package var grant: LotAmount?
  /// The state after its refunds, nil if it has none; not part of the journal's row.
  package var refund: RefundStateRow?

  package init(
    number: Int64, identity: PurchaseIdentity, customer: CustomerNumber, transaction: TransactionNumber,
    product: ProductCode, quantity: Int64, price: Money?, purchasedAt: Timestamp, frozenProduct: String,
    originalTransactionID: StoreTransactionID? = nil, expiresAt: Timestamp? = nil, grant: LotAmount? = nil,
    refund: RefundStateRow? = nil
  ) {
    self.originalTransactionID = originalTransactionID
    self.expiresAt = expiresAt
    self.grant = grant
    self.refund = refund
    self.number = number
    self.identity = identity
    self.customer = customer
    self.transaction = transaction
    self.product = product
    self.quantity = quantity
    self.price = price
    self.purchasedAt = purchasedAt
    self.frozenProduct = frozenProduct
  }
}

/// Includes the frozen product's document and the state after the newest refund, which storages keep separately.
extension PurchaseRow: ExportedRow {
  package static let table: StaticString = "purchases"
  package static let hasPlacedMembers = true
  package static let checks = ["quantity > 0"]
  package static var blank: Self {
    Self(
      number: 0,
      identity: PurchaseIdentity(store: .test, environment: 0, transactionID: StoreTransactionID(unchecked: "")),
      customer: 0, transaction: 0, product: ProductCode(unchecked: ""), quantity: 0, price: nil,
      purchasedAt: Timestamp(milliseconds: 0), frozenProduct: "")
  }

  package mutating func visit<Members: MemberVisitor>(_ columns: inout Members) {
    columns.number("purchase", &number, .exported(as: "number"))
    columns.kind("store", &identity.store, else: .test, .exported)
    columns.environment("environment", &identity.environment, .exported)
    columns.identifier("store_transaction", &identity.transactionID, .exported(as: "store_transaction_id"))
    columns.number("customer", &customer, .exported)
    columns.transaction("transaction_number", &transaction, .exported(as: "transaction"))
    columns.identifier("product", &product, .exported)
    columns.amount("quantity", &quantity, .exported(within: .number))
    columns.money("price", "price_currency", &price, .exported)
    columns.date("purchased_at", &purchasedAt, .exported)
    columns.text("document", &frozenProduct, .exported(as: "terms", place: .last, asJSON: true))
    columns.identifier(
      "original_transaction", optional: &originalTransactionID, .exported(as: "original_transaction_id"))
    columns.date("expires_at", optional: &expiresAt, .exported)
    columns.refundState(of: number, &refund, .derived)
    columns.lotAmount("grant_currency", "grant_lot", "grant_amount", &grant, .exported(as: "grant"))
  }
}

// MARK: Indexes

extension PurchaseRow {
  package static var indexes: [RowIndex<Self>] { [byIdentity, byNumber, ofCustomer, creditedBy] }

  package static let byIdentity = RowIndex<Self>(
    "purchaseByIdentity", key: ["environment", "store", .text("store_transaction")],
    inMemory: .one { $0.purchases[PurchaseIdentity($1)] })
  /// Must also find a row without an owner, and with an owner that was merged later.
  package static let byNumber = RowIndex<Self>(
    "purchaseByNumber", key: ["purchase"], isOwned: true, inMemory: .one { $0.purchases[number: $1.first] })
  /// Newest first.
  package static let ofCustomer = RowIndex<Self>(
    "purchasesOfCustomer", key: ["customer"], order: ["purchase"], isDescending: true,
    inMemory: .page { tables, key, place, limit in
      tables.purchases.purchases(of: key.first, below: place?.first ?? .max, limit: limit)
    })
  /// The purchase that a transaction credited; the owner is the customer of both.
  package static let creditedBy = RowIndex<Self>(
    "purchaseCreditedBy", key: ["transaction_number"], isOwned: true,
    inMemory: .one { tables, key in
      tables.transaction(key.first).flatMap { tables.purchases.purchase(of: $0.customer, creditedBy: key.first) }
    })
}

/// The unique identity of a store transaction.
package struct PurchaseIdentity: Hashable, Sendable {
  package var store: Store
  package var environment: Int64
  package var transactionID: StoreTransactionID

  package init(store: Store, environment: Int64, transactionID: StoreTransactionID) {
    self.store = store
    self.environment = environment
    self.transactionID = transactionID
  }
}

extension PurchaseRow {
  /// Columns of joined tables: the frozen product `f` and the newest refund `r` of the purchase `p`.
  package static let joinedColumns = [
    "document": "f.document", "share": "r.share", "share_of": "r.share_of",
    "evidence_at": "coalesce(r.evidence_at, r.signed_at)", "refund": "r.transaction_number",
  ]

  /// All columns, of `p`, `f` and `r`.
  package static func selection(splitsAccounts: Bool) -> String {
    ColumnNames(of: self, splitsAccounts: splitsAccounts).names
      .map { "\(joinedColumns[$0] ?? "p.\($0)") AS \($0)" }.joined(separator: ", ")
  }
}

// MARK: Digest

extension RowDigest {
  package static func of(_ row: PurchaseRow) -> UInt64 {
    var digest = RowDigest(.purchase)
    digest.add(row.number)
    digest.add(row.identity.store.number)
    digest.add(row.identity.environment)
    digest.add(row.identity.transactionID.text)
    digest.add(row.customer)
    digest.add(row.product.text)
    digest.add(row.quantity)
    digest.add(row.price)
    digest.add(row.purchasedAt)
    digest.add(row.frozenProduct)
    digest.add(row.originalTransactionID?.text)
    digest.add(row.expiresAt?.milliseconds)
    digest.add(row.grant?.currency)
    digest.add(row.grant?.lot)
    digest.add(row.grant?.amount)
    return digest.value
  }
}
