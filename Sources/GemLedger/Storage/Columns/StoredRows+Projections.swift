extension AccountRow: StoredRow {
  package static let table: StaticString = "accounts"
  package static let checks = ["balance >= 0", "debt >= 0", "held >= 0", "pool_remaining >= 0"]
  package static var blank: Self { Self(number: AccountNumber(rawValue: 0)) }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.account(&number)
    columns.amount("balance", &balance)
    columns.amount("debt", &debt)
    columns.amount("held", &held)
    columns.number("version", &version)
    columns.entry("last_entry", &lastEntry)
    columns.number("pool_lot", &poolLot)
    columns.integer("pool_source", .kind, &poolSource)
    columns.number("pool_environment", &poolEnvironment)
    columns.integer("pool_granted", .granted, &poolGranted)
    columns.amount("pool_remaining", &poolRemaining)
    columns.number("open_lots", &openLots)
    columns.integer("next_expiry", .instantOrNever, &nextExpiry)
    columns.integer("next_scheduled_at", .instantOrNever, &nextDue)
  }
}

/// Every id with the number of its customer, without following merges, including original ids.
extension AddedIDRow: StoredRow {
  package static let table: StaticString = "customer_ids"
  package static var blank: Self { Self(customer: 0, id: CustomerID(unchecked: "")) }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.identifier("id", &id)
    columns.number("customer", &customer)
  }
}

extension LotRow: StoredRow {
  package static let table: StaticString = "lots"
  package static let checks = ["remaining >= 0 AND remaining <= granted"]
  package static var blank: Self {
    Self(
      number: 0, account: AccountNumber(rawValue: 0), source: .admin, environment: 0, granted: 0, remaining: 0,
      price: nil, purchase: nil, expiresAt: .max)
  }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.number("lot", &number)
    columns.account(&account)
    columns.kind("source", &source, else: .admin)
    columns.number("environment", &environment)
    columns.integer("granted", .granted, &granted)
    columns.amount("remaining", &remaining)
    columns.money("price", "price_currency", &price)
    columns.number("purchase", optional: &purchase)
    columns.expiry("expires_at", &expiresAt)
  }
}

extension CheckpointRow: StoredRow {
  package static let table: StaticString = "checkpoints"
  package static let keyColumnCount = 2
  package static var blank: Self {
    Self(
      account: AccountNumber(rawValue: 0), version: 0, entry: 0, transaction: 0, createdAt: Timestamp(milliseconds: 0))
  }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.account(&account)
    columns.number("version", &version)
    columns.entry("entry", &entry)
    columns.transaction("transaction_number", &transaction)
    columns.instant("created_at", &createdAt)
  }
}

extension OrderRow: StoredRow {
  package static let table: StaticString = "orders"
  package static let checks = [
    "quantity > 0", "state BETWEEN 1 AND 4", "delivery_attempts >= 0",
    "(purchase IS NOT NULL) = (state IN (2, 4))",
  ]
  package static let fixedColumns: Set = [
    "code", "store", "product", "quantity", "request", "key", "created_at", "deadline",
  ]
  package static var blank: Self {
    Self(
      number: 0, code: PurchaseCode(unchecked: ""), customer: 0, store: .test, product: ProductCode(unchecked: ""),
      quantity: 0, request: "", key: nil, createdAt: Timestamp(milliseconds: 0), deadline: Timestamp(milliseconds: 0))
  }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.number("number", &number)
    columns.identifier("code", &code)
    columns.number("customer", &customer)
    columns.store("store", &store)
    columns.identifier("product", &product)
    columns.amount("quantity", &quantity)
    columns.text("request", &request)
    columns.identifier("key", optional: &key)
    columns.kind("state", &state, else: .failed)
    columns.number("purchase", optional: &purchase)
    columns.instant("created_at", &createdAt)
    columns.instant("updated_at", &updatedAt)
    columns.instant("deadline", &deadline)
    columns.integer("due_at", .instantOrNever, &dueAt)
    columns.number("delivery_attempts", &deliveryAttempts)
  }
}

extension HoldRow: StoredRow {
  package static let table: StaticString = "open_holds"
  package static var blank: Self { Self(number: 0, customer: 0, deadline: Timestamp(milliseconds: 0)) }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.transaction("hold", &number)
    columns.number("customer", &customer)
    columns.instant("deadline", &deadline)
    columns.instant("begun_at", optional: &begunAt)
    columns.lotAmount("currency", "lot", "amount", &sole)
  }
}

extension CountRow: StoredRow {
  package static let table: StaticString = "counters"
  package static let keyColumnCount = 3
  package static var blank: Self { Self(customer: 0, key: CountKey(.bought, ""), period: 0, value: 0) }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.number("customer", &customer)
    columns.kind("kind", &key.kind, else: .bought)
    columns.text("subject", &key.subject)
    columns.value("period", &period)
    columns.value("value", &value)
  }
}

extension OwnedItemRow: StoredRow {
  package static let table: StaticString = "owned_items"
  package static let keyColumnCount = 2
  package static let checks = ["quantity >= 0"]
  package static var blank: Self { Self(customer: 0, item: ItemID(unchecked: ""), quantity: 0) }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.number("customer", &customer)
    columns.identifier("item", &item)
    columns.amount("quantity", &quantity)
  }
}

extension AccountTokenRow: StoredRow {
  package static let table: StaticString = "account_tokens"
  package static let keyColumnCount = 2
  package static var blank: Self { Self(token: TokenNumber(high: 0, low: 0), customer: 0) }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.integer("high", .any, &token.high)
    columns.integer("low", .any, &token.low)
    columns.number("customer", &customer)
  }
}

extension EntitlementRow: StoredRow {
  package static let table: StaticString = "entitlements"
  package static var blank: Self { Self(purchase: 0, holder: 0) }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.number("purchase", &purchase)
    columns.number("holder", &holder)
  }
}

extension EvidenceRow: StoredRow {
  package static let table: StaticString = "evidence"
  package static let keyColumnCount = 6
  package static var blank: Self {
    let identity = PurchaseIdentity(store: .test, environment: 0, transactionID: StoreTransactionID(unchecked: ""))
    return Self(identity: identity, kind: .refund, signedAt: Timestamp(milliseconds: 0))
  }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.identifier("store_transaction", &identity.transactionID)
    columns.number("environment", &identity.environment)
    columns.store("store", &identity.store)
    columns.kind("kind", &kind, else: .refund)
    columns.date("revoked_at", &revokedAt)
    columns.integer("variant", .any, &variant)
    columns.date("first_signed_at", &firstSignedAt)
    columns.date("signed_at", &signedAt)
    columns.extent("extent_kind", "extent", &extent)
    columns.text("content", &content)
    columns.text("original", optional: &original)
    columns.held(&held)
  }
}

extension ColumnVisitor {
  /// The state of a held purchase, over four columns that are null together; a subject may be null alone.
  fileprivate mutating func held(_ value: inout EvidenceRow.HeldState?) {
    var (reason, dueAt) = (value?.reason.rawValue, value?.dueAt)
    var (customer, subject) = (value?.customer, value?.subject)
    integer("reason", .kind, optional: &reason)
    integer("due_at", .instantOrNever, optional: &dueAt)
    integer("holder", .number, optional: &customer)
    text("subject", optional: &subject)
    value = reason.flatMap(HoldReason.init).map {
      EvidenceRow.HeldState(reason: $0, dueAt: dueAt ?? .max, customer: customer ?? 0, subject: subject)
    }
  }
}

extension CustomerRow: StoredRow {
  package static let table: StaticString = "customers"
  package static let fixedColumns: Set = ["created_at"]
  package static var blank: Self {
    Self(number: 0, id: CustomerID(unchecked: ""), createdAt: Timestamp(milliseconds: 0))
  }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.number("customer", &number)
    columns.identifier("id", &id)
    columns.instant("created_at", &createdAt)
    columns.number("frozen", &frozen)
    columns.identifier("frozen_reason", optional: &frozenReason)
    columns.number("merged_into", &mergedInto)
    columns.number("merged_count", &merged)
  }
}

extension MergedCustomerRow: StoredRow {
  package static let table: StaticString = "merged_customers"
  package static let keyColumnCount = 2
  package static var blank: Self { Self(customer: 0, merged: 0) }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.number("customer", &customer)
    columns.number("merged", &merged)
  }
}
