/// All indexes that the ledger reads by.
///
/// ``shape`` lists the columns of each, so that a storage with a query language needs no second list.
package enum IndexName: Int, CaseIterable, Sendable {
  case customerByNumber
  /// All customers, in the order of their numbers; the key is empty.
  case customersInOrder
  /// The customers merged into this customer.
  case mergedCustomers
  /// The customer that any id names, without following merges.
  case customerByID
  /// The ids added to a customer, without the original id.
  case addedIDs
  case customerByToken
  case mergeByTransaction
  /// The merges into a customer and the unmerges that split it off, oldest first.
  case mergesInto

  case accountsOfCustomer
  case checkpointByVersion

  case lotByNumber
  /// Free lots of one account with a remaining amount, in the order of burning.
  case openFreeLots
  /// Paid lots of one account with a remaining amount, in the order of burning.
  case openPaidLots
  /// The account's lot of a source and environment that has a separate row, no purchase and no expiry.
  case pooledLot
  /// The owner is any past or present customer of the lot.
  case attributesByLot

  /// Must also find a row without an owner.
  case transactionByNumber
  /// A customer's transactions that touched no balance, newest first.
  case transactionsWithoutEntries
  /// A transaction that touched no balance, by its customer and its number.
  case transactionWithoutEntries
  /// Must also find a row without an owner.
  case entryByNumber
  /// In the order of their numbers; the key's second number is that of the first entry, or 0 if it is unknown.
  case entriesOfTransaction
  case allocationsOfEntry
  case noteOfTransaction
  case itemsOfTransaction
  case ownedItem
  case ownedItemsOfCustomer
  case keyOfCustomer

  case eventsOfTransaction
  /// The events about a hold or an undone transaction, in the order of transactions and positions.
  case eventsAbout
  /// The events about held amounts and counts (``JournalEventRow/Kind/isAskedByCustomer``), newest first.
  case eventsOfCustomer
  /// The owner is any customer that the hold may be stored with.
  case holdByNumber
  /// The open holds of a customer, earliest deadline first.
  case holdsOfCustomer
  case countByKey
  case countsOfCustomer

  case purchaseByIdentity
  /// Must also find a row without an owner, and with an owner that was merged later.
  case purchaseByNumber
  /// Newest first.
  case purchasesOfCustomer
  /// The purchase that a transaction credited; the owner is the customer of both.
  case purchaseCreditedBy
  case entitlementByPurchase
  /// Newest purchase first.
  case entitlementsOfHolder
  /// The owner is the transaction's customer; the purchase's customer may be merged into it.
  case refundByTransaction
  /// Oldest first. The owner is the credited customer; it must also find rows without an owner.
  case refundsOfPurchase
  /// Must also find rows without an owner.
  case partsOfRefund
  /// The evidence about a store transaction.
  case evidenceOfPurchase
  /// The held purchases with a reason, in the order in which they are due.
  case heldDue
  /// The held purchases that a customer posted.
  case heldOfCustomer
  /// Held purchases by the buyer's token, or by the app or environment that is not credited.
  case heldForSubject

  case orderByCode
  case orderByPurchase
  case orderByKey
  /// Newest first.
  case ordersOfCustomer
  /// The unfinished orders of a state, in the order in which they are due.
  case ordersDue

  /// The catalog's objects of a kind, in the order of their positions.
  case catalogOfKind
  case catalogByCode
  /// All environments, in the order of their numbers; the key is empty.
  case environmentsInOrder
  case documentByName
}

/// The columns of an index.
package struct IndexShape: Sendable {
  package enum Column: Sendable {
    case number(StaticString)
    /// The columns `customer` and `currency`, or the one column `account`; one number of a key.
    case account
    /// The text of a key.
    case text(StaticString)
  }

  /// A condition that the rows of an index meet.
  package enum Condition: Sendable {
    case equal(StaticString, Int64)
    case unequal(StaticString, Int64)
    case positive(StaticString)
    case within(StaticString, ClosedRange<Int64>)
    case null(StaticString)
    /// The expiry has the value for never.
    case never(StaticString)
  }

  package let key: [Column]
  /// The columns that order the rows of one key.
  package let order: [StaticString]
  package let isDescending: Bool
  package let conditions: [Condition]

  fileprivate init(
    _ key: [Column], order: [StaticString] = [], isDescending: Bool = false, where conditions: [Condition] = []
  ) {
    self.key = key
    self.order = order
    self.isDescending = isDescending
    self.conditions = conditions
  }

  fileprivate static func number(_ name: StaticString, order: StaticString...) -> Self {
    Self([.number(name)], order: order)
  }
}

extension IndexName {
  /// The indexes over rows of a type, for a storage that maintains each of them itself.
  package static func of<Row: StoredRow>(_ type: Row.Type) -> [IndexName] {
    switch type {
    case is CustomerRow.Type: [.customerByNumber, .customersInOrder]
    case is MergedCustomerRow.Type: [.mergedCustomers]
    case is AddedIDRow.Type: [.customerByID, .addedIDs]
    case is AccountTokenRow.Type: [.customerByToken]
    case is MergeRow.Type: [.mergeByTransaction, .mergesInto]
    case is AccountRow.Type: [.accountsOfCustomer]
    case is CheckpointRow.Type: [.checkpointByVersion]
    case is LotRow.Type: [.lotByNumber, .openFreeLots, .openPaidLots, .pooledLot]
    case is LotAttributesRow.Type: [.attributesByLot]
    case is TransactionRow.Type: [.transactionByNumber, .transactionsWithoutEntries, .transactionWithoutEntries]
    case is EntryRow.Type: [.entryByNumber, .entriesOfTransaction]
    case is AllocationRow.Type: [.allocationsOfEntry]
    case is NoteRow.Type: [.noteOfTransaction]
    case is ItemEntryRow.Type: [.itemsOfTransaction]
    case is OwnedItemRow.Type: [.ownedItem, .ownedItemsOfCustomer]
    case is KeyRow.Type: [.keyOfCustomer]
    case is JournalEventRow.Type: [.eventsOfTransaction, .eventsAbout, .eventsOfCustomer]
    case is HoldRow.Type: [.holdByNumber, .holdsOfCustomer]
    case is CountRow.Type: [.countByKey, .countsOfCustomer]
    case is PurchaseRow.Type: [.purchaseByIdentity, .purchaseByNumber, .purchasesOfCustomer, .purchaseCreditedBy]
    case is EntitlementRow.Type: [.entitlementByPurchase, .entitlementsOfHolder]
    case is RefundRow.Type: [.refundByTransaction, .refundsOfPurchase]
    case is RefundPartRow.Type: [.partsOfRefund]
    case is EvidenceRow.Type: [.evidenceOfPurchase, .heldDue, .heldOfCustomer, .heldForSubject]
    case is OrderRow.Type: [.orderByCode, .orderByPurchase, .orderByKey, .ordersOfCustomer, .ordersDue]
    case is CatalogRow.Type: [.catalogOfKind, .catalogByCode]
    case is EnvironmentRow.Type: [.environmentsInOrder]
    case is DocumentRow.Type: [.documentByName]
    default: []
    }
  }

  package var shape: IndexShape { Self.shapes[rawValue] }

  private static let shapes = allCases.map { name in
    shapeOfProject(name) ?? shapeOfCustomers(name) ?? shapeOfLots(name) ?? shapeOfJournal(name)
      ?? shapeOfPurchases(name)
  }

  private static func shapeOfProject(_ name: Self) -> IndexShape? {
    switch name {
    case .catalogOfKind: .number("kind", order: "position")
    case .catalogByCode: .init([.number("kind"), .text("code")])
    case .environmentsInOrder: .init([], order: ["environment"])
    case .documentByName: .init([.text("name")])
    default: nil
    }
  }

  private static func shapeOfCustomers(_ name: Self) -> IndexShape? {
    switch name {
    case .customerByNumber: .number("customer")
    case .customersInOrder: .init([], order: ["customer"])
    case .mergedCustomers: .number("customer", order: "merged")
    case .customerByID: .init([.text("id")])
    case .addedIDs: .number("customer", order: "id")
    case .customerByToken: .init([.number("high"), .number("low")])
    case .mergeByTransaction: .number("transaction_number")
    case .mergesInto: .number("into_customer", order: "transaction_number")
    case .accountsOfCustomer: .number("customer", order: "currency")
    case .checkpointByVersion: .init([.account, .number("version")])
    default: nil
    }
  }

  private static func shapeOfLots(_ name: Self) -> IndexShape? {
    switch name {
    case .lotByNumber, .attributesByLot: .number("lot")
    case .openFreeLots:
      .init([.account], order: ["expires_at", "lot"], where: [.unequal("source", 1), .positive("remaining")])
    case .openPaidLots:
      .init([.account], order: ["expires_at", "lot"], where: [.equal("source", 1), .positive("remaining")])
    case .pooledLot:
      .init(
        [.account, .number("source"), .number("environment")],
        where: [.null("purchase"), .never("expires_at"), .null("price")])
    default: nil
    }
  }

  private static func shapeOfJournal(_ name: Self) -> IndexShape? {
    switch name {
    case .transactionByNumber, .entryByNumber: .number("number")
    case .transactionsWithoutEntries: .init([.number("customer")], order: ["number"], isDescending: true)
    case .transactionWithoutEntries: .init([.number("customer"), .number("number")])
    case .entriesOfTransaction: .number("transaction_number", order: "number")
    case .allocationsOfEntry: .number("entry", order: "position")
    case .noteOfTransaction: .number("transaction_number")
    case .itemsOfTransaction: .number("transaction_number", order: "item", "customer")
    case .ownedItem: .init([.number("customer"), .text("item")])
    case .ownedItemsOfCustomer: .number("customer", order: "item")
    case .keyOfCustomer: .init([.number("customer"), .text("key")])
    case .eventsOfTransaction, .partsOfRefund: .number("transaction_number", order: "position")
    case .eventsAbout:
      .init([.number("target")], order: ["transaction_number", "position"], where: [.unequal("target", 0)])
    case .eventsOfCustomer:
      .init(
        [.number("customer")], order: ["transaction_number", "position"], isDescending: true,
        where: [.within("kind", 3...6)])
    case .holdByNumber: .number("hold")
    case .holdsOfCustomer: .number("customer", order: "deadline", "hold")
    case .countByKey: .init([.number("customer"), .number("kind"), .text("subject")])
    case .countsOfCustomer: .number("customer", order: "kind", "subject")
    default: nil
    }
  }

  private static func shapeOfPurchases(_ name: Self) -> IndexShape {
    switch name {
    case .purchaseByIdentity, .evidenceOfPurchase:
      .init(
        [.number("environment"), .number("store"), .text("store_transaction")],
        order: name == .evidenceOfPurchase ? ["kind", "revoked_at", "variant"] : [])
    case .heldDue:
      .init([.number("reason")], order: ["due_at", "variant"], where: [.within("environment", 0...RowBounds.number)])
    case .heldOfCustomer: .number("holder")
    case .heldForSubject: .init([.text("subject")])
    case .purchaseByNumber, .entitlementByPurchase: .number("purchase")
    case .purchasesOfCustomer: .init([.number("customer")], order: ["purchase"], isDescending: true)
    case .purchaseCreditedBy: .number("transaction_number")
    case .entitlementsOfHolder: .init([.number("holder")], order: ["purchase"], isDescending: true)
    case .refundByTransaction: .number("transaction_number")
    case .refundsOfPurchase: .number("purchase", order: "transaction_number")
    case .orderByCode: .init([.text("code")])
    case .orderByPurchase: .number("purchase")
    case .orderByKey: .init([.number("customer"), .text("key")])
    case .ordersOfCustomer: .init([.number("customer")], order: ["number"], isDescending: true)
    case .ordersDue:
      .init([.number("state")], order: ["due_at", "number"], where: [.unequal("state", 2), .positive("number")])
    // All other indexes have a shape above.
    default: IndexShape([])
    }
  }
}
