/// A genuine statement of a store about a store transaction, credited or not.
///
/// Statements that differ only in their dates are one row. The credited and the refunded amounts of a store transaction
/// are a function of all its rows, in any order of arrival (``RefundRules``).
package struct EvidenceRow: Hashable, Sendable {
  package enum Kind: Int64, CaseIterable, Sendable {
    case refund = 1
    /// The refund with that date was taken back.
    case reversal = 2
    /// A notice that nothing of the purchase is refunded: all refunds until then are taken back.
    case reversalOfAll = 3
    /// Not a statement of the store: an amount returned to the purchase and covered the shortfall of its refunds.
    case reclaim = 4
    /// The purchase is not paid yet.
    case pending = 5
    /// The purchase was never paid: it was declined, or ended while it was pending.
    case cancelled = 6
    /// Not a statement of the store: the purchase was credited before evidence was kept.
    case bookedBefore = 7
    /// Not a statement of the store: the purchase cannot be credited yet, or not automatically.
    case held = 8
    /// The state of a purchase of which nothing is refunded: all refunds before it are taken back.
    ///
    /// A refund of the same instant stays: a purchase may be refunded in the instant in which its state was signed.
    case purchased = 9
    /// Not a statement of the store: an operator credited the purchase, despite the store's statements until then.
    case decided = 10
  }

  package var identity: PurchaseIdentity
  package var kind: Kind
  /// The date of the refund that it is about; 0 if it is about all refunds.
  package var revokedAt: Timestamp
  /// Distinguishes statements of one kind with different contents; 0 if only the newest statement matters.
  package var variant: Int64
  /// The store's first date of the statement.
  package var firstSignedAt: Timestamp
  /// The store's last date of the statement.
  package var signedAt: Timestamp
  /// The extent of a refund; for all other kinds `full`, without a meaning.
  package var extent: StoreRefund.Extent
  /// The statement's other members, as JSON; empty if they are unknown or were erased.
  package var content: String
  /// The digest of the newest signed original; nil if there is none.
  package var original: String?
  /// The state of a held purchase; nil for statements of stores, and once the purchase is no longer held.
  package var held: HeldState?

  /// The state of a purchase that is not credited.
  package struct HeldState: Hashable, Sendable {
    package var reason: HoldReason
    /// The time of the next automatic decision; `.max` for never.
    package var dueAt: Int64
    /// The customer that posted it; 0 if no customer did.
    package var customer: CustomerNumber
    /// The cause by name, if it has one: the token of the buyer, the app, the environment.
    package var subject: String?

    package init(reason: HoldReason, dueAt: Int64 = .max, customer: CustomerNumber = 0, subject: String? = nil) {
      self.reason = reason
      self.dueAt = dueAt
      self.customer = customer
      self.subject = subject
    }
  }

  package init(
    identity: PurchaseIdentity, kind: Kind, revokedAt: Timestamp = Timestamp(milliseconds: 0), signedAt: Timestamp,
    extent: StoreRefund.Extent = .full, content: String = "", original: String? = nil, held: HeldState? = nil
  ) {
    self.identity = identity
    self.kind = kind
    self.revokedAt = revokedAt
    variant =
      switch kind {
      case .purchased: content.isEmpty ? 0 : Self.hash(content)
      // It orders held receipts that are due at one instant.
      case .held: Self.hash(identity.transactionID.text)
      default: 0
      }
    firstSignedAt = signedAt
    self.signedAt = signedAt
    self.extent = extent
    self.content = content
    self.original = original
    self.held = held
  }

  init(
    identity: PurchaseIdentity, kind: Kind, revokedAt: Timestamp = Timestamp(milliseconds: 0), signedAt: Timestamp,
    extent: StoreRefund.Extent = .full, statement: StoreStatement?
  ) {
    self.init(
      identity: identity, kind: kind, revokedAt: revokedAt, signedAt: signedAt, extent: extent,
      content: statement?.content ?? "", original: statement?.original)
  }

  private static func hash(_ text: String) -> Int64 {
    var hash = StableHash()
    hash.combine(long: text)
    return Int64(bitPattern: hash.value)
  }

  /// Whether its dates are in order, and only the ledger's note (`held`) has a held state.
  package var isWhole: Bool { kind == .held || firstSignedAt <= signedAt && held == nil }

  /// Whether both are the same statement, possibly with different dates.
  func isAboutTheSame(as other: Self) -> Bool {
    kind == other.kind && revokedAt == other.revokedAt && variant == other.variant
  }

  /// Joins two rows of the same statement; their order matters only for the ledger's notes.
  func joined(with other: Self) -> Self {
    if kind == .held { return other }
    var row = signedAt == other.signedAt ? (rank > other.rank ? self : other) : signedAt > other.signedAt ? self : other
    row.firstSignedAt = min(firstSignedAt, other.firstSignedAt)
    // Equal statements have different contents only after an erasure of the buyer's identity.
    if variant != 0, content.utf8.count != other.content.utf8.count {
      row.content = content.utf8.count < other.content.utf8.count ? content : other.content
    }
    return row
  }

  /// Of two statements with one date, the larger refund wins; the other values make the order total.
  private var rank: (Int64, Int64, String, String) {
    let (kind, amount) = extent.stored
    return (kind == 1 ? .max : kind, amount, content, original ?? "")
  }
}

extension EvidenceRow: ExportedRow {
  package static let table: StaticString = "evidence"
  package static let keyColumnCount = 6
  package static var blank: Self {
    let identity = PurchaseIdentity(store: .test, environment: 0, transactionID: StoreTransactionID(unchecked: ""))
    return Self(identity: identity, kind: .refund, signedAt: Timestamp(milliseconds: 0))
  }

  package mutating func visit<Members: MemberVisitor>(_ columns: inout Members) {
    visitStatement(&columns)
    columns.dates("first_signed_at", &firstSignedAt, "signed_at", &signedAt, .exported)
    columns.extent("extent_kind", "extent", &extent, .exported)
    columns.text("content", &content, .exported(unless: .emptyText))
    columns.text("original", optional: &original, .exported)
    columns.held(&held, .exported)
  }

  /// Visits the columns that identify the statement and never change: they are the key.
  package mutating func visitStatement<Members: MemberVisitor>(_ columns: inout Members) {
    columns.identity(&identity, .exported)
    columns.kind("kind", &kind, else: .refund, .exported)
    columns.date("revoked_at", &revokedAt, .exported(unless: .zero))
    // The stored digest: its content may be erased.
    columns.integer("variant", .any, &variant, .exported(unless: .zero))
  }
}

extension EvidenceRow.Kind: ExportedKind {
  package var name: String {
    switch self {
    case .refund: "refund"
    case .reversal: "reversal"
    case .reversalOfAll: "reversal_of_all"
    case .reclaim: "reclaim"
    case .pending: "pending"
    case .cancelled: "cancelled"
    case .bookedBefore: "booked_before"
    case .held: "held"
    case .purchased: "purchased"
    case .decided: "decided"
    }
  }
}

// MARK: Indexes

extension EvidenceRow {
  package static var indexes: [RowIndex<Self>] { [ofPurchase, heldDue, heldOfCustomer, heldForSubject] }

  /// The evidence about a store transaction.
  package static let ofPurchase = RowIndex<Self>(
    "evidenceOfPurchase", key: ["environment", "store", .text("store_transaction")],
    order: ["kind", "revoked_at", "variant"], inMemory: .many { $0.purchases.evidence[PurchaseIdentity($1)] ?? [] })
  /// The held purchases with a reason, in the order in which they are due.
  package static let heldDue = RowIndex<Self>(
    "heldDue", key: ["reason"], order: ["due_at", "variant"], where: [.within("environment", 0...RowBounds.number)],
    inMemory: .page { tables, key, place, limit in
      tables.purchases.held(after: place, limit: limit) { $0.reason.rawValue == key.first }
    })
  /// The held purchases that a customer posted.
  package static let heldOfCustomer = RowIndex<Self>(
    "heldOfCustomer", key: ["holder"],
    inMemory: .many { tables, key in tables.purchases.held { $0.customer == key.first } })
  /// Held purchases by the buyer's token, or by the app or environment that is not credited.
  package static let heldForSubject = RowIndex<Self>(
    "heldForSubject", key: [.text("subject")],
    inMemory: .many { tables, key in tables.purchases.held { $0.subject?.hasBytes(of: key.text) ?? false } })
}

extension EvidenceRow.Kind {
  /// Whether it states the refunded extent of the purchase, which may be zero.
  package var isAboutRefunds: Bool {
    switch self {
    case .refund, .reversal, .reversalOfAll, .purchased, .reclaim, .decided: true
    case .pending, .cancelled, .bookedBefore, .held: false
    }
  }

  /// Whether it is a store's proof that the purchase was paid for.
  package var provesPayment: Bool {
    switch self {
    case .refund, .reversal, .reversalOfAll, .purchased: true
    case .reclaim, .pending, .cancelled, .bookedBefore, .held, .decided: false
    }
  }
}

/// The reason why a genuine purchase is not credited.
package enum HoldReason: Int64, CaseIterable, ExportedKind {
  /// No product of the catalog has the purchase's store product id.
  case product = 1
  /// Its token names no registered customer.
  case buyer = 2
  /// It was not posted, and it names no customer.
  case unattributed = 3
  /// It differs from its order's announcement, or is not possible for the product.
  case amount = 4
  /// It is not paid for yet.
  case pending = 5
  /// It was bought in another app.
  case app = 7
  /// It was bought in an environment that is not credited.
  case environment = 8
  /// An operator has to decide.
  case decision = 9
  /// It was credited to the customer that posted it, and the customer of its token appeared later.
  case owner = 10
  /// Its customer was erased before it could be credited; it is never credited.
  case erased = 11
  /// The store declined it.
  case declined = 12
  /// An operator has decided; the buyer's identity in it is erased together with the buyer.
  case decided = 13
  /// The store refunded all of it before it could be credited.
  case refunded = 14

  /// Whether a credit ends the hold.
  package var endsWithCredit: Bool { self != .owner && self != .decision && self != .decided }

  /// Whether its app or its environment is not credited.
  package var isForeign: Bool { self == .app || self == .environment }

  /// Whether a customer or an operator still has to act; the other reasons are final.
  package var isOpen: Bool {
    switch self {
    case .owner, .erased, .declined, .decided, .refunded: false
    case .product, .buyer, .unattributed, .amount, .pending, .app, .environment, .decision: true
    }
  }

  /// The condition that ends the hold, as a message.
  package var remedy: String {
    switch self {
    case .product: "add the product with its store product id to the catalog; they are then credited automatically."
    case .buyer: "they are credited once their buyer signs in, or after an hour to the customer that posted them."
    case .unattributed: "they are credited when their app posts them."
    case .amount: "their quantity does not fit the product, or the balance; credit them with \"receipts credit\"."
    case .pending: "they are not paid for yet; their store reports the payment."
    case .app: "they are of another app; set its bundle_id, or credit single purchases with \"receipts credit\"."
    case .environment: "their environment is not credited; credit single purchases with \"receipts credit\"."
    case .decision: "decide about them with \"receipts credit\"."
    case .owner: "they were credited to the customer that posted them; no action is needed."
    case .erased: "their customers were erased; they are never credited."
    case .declined: "their stores declined them."
    case .refunded: "their stores refunded them in full; no action is needed."
    case .decided: "an operator decided about them; no action is needed."
    }
  }

  /// The reason's name in lists, exports and counts.
  package var name: String {
    switch self {
    case .product: "product"
    case .buyer: "buyer"
    case .unattributed: "unattributed"
    case .amount: "amount"
    case .pending: "pending"
    case .app: "app"
    case .environment: "environment"
    case .decision: "decision"
    case .owner: "owner"
    case .erased: "erased"
    case .declined: "declined"
    case .decided: "decided"
    case .refunded: "refunded"
    }
  }
}

extension StoreStatement {
  /// The kind of a purchase's evidence that the statement makes.
  var kind: EvidenceRow.Kind { isDecision ? .decided : isNotice ? .reversalOfAll : .purchased }
}
