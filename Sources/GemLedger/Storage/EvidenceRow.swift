/// A genuine statement of a store about a store transaction, whether that is credited yet or not.
///
/// Statements that differ in their dates alone are one row. What a store transaction has credited and given back is a
/// function of all its rows, in any order of their arrival: ``RefundRules``.
package struct EvidenceRow: Hashable, Sendable {
  package enum Kind: Int64, CaseIterable, Sendable {
    case refund = 1
    /// The refund of that date was taken back.
    case reversal = 2
    /// A notice of a purchase of which nothing is given back: all refunds until then are taken back.
    case reversalOfAll = 3
    /// Not a statement of the store: an amount returned to the purchase, and went to the shortfall of its refunds.
    case reclaim = 4
    /// The purchase is not paid yet.
    case pending = 5
    /// The purchase was never paid: it was declined, or ended while it was pending.
    case cancelled = 6
    /// Not a statement of the store: the purchase was credited before evidence was kept.
    case bookedBefore = 7
    /// Not a statement of the store: the purchase cannot be credited yet, or by itself.
    case held = 8
    /// The state of a purchase of which nothing is given back: all refunds before it are taken back.
    ///
    /// A refund of the same instant stands: a purchase may be refunded in the instant in which its state was signed.
    case purchased = 9
    /// Not a statement of the store: a person credited the purchase, whatever the store had stated until then.
    case decided = 10
  }

  package var identity: PurchaseIdentity
  package var kind: Kind
  /// The date of the refund that it is about; 0 if it is about all.
  package var revokedAt: Timestamp
  /// Tells statements of one kind apart that say different things; 0 if only the newest matters.
  package var variant: Int64
  /// The store's first date of it.
  package var firstSignedAt: Timestamp
  /// The store's last date of it.
  package var signedAt: Timestamp
  /// How much is given back; all for others than a refund, if it says nothing.
  package var extent: StoreRefund.Extent
  /// What it states beside its dates, as JSON; empty if that is not known, or was erased.
  package var content: String
  /// The digest of the newest signed original, if there is one.
  package var original: String?
  /// Why the purchase is held; nil for the statements of stores, and if it is held no more.
  package var held: HeldState?

  /// The state of a purchase that is not credited.
  package struct HeldState: Hashable, Sendable {
    package var reason: HoldReason
    /// When it is decided again without another cause; `.max` for never.
    package var dueAt: Int64
    /// The customer of the post; 0 if it was not posted.
    package var customer: CustomerNumber
    /// The awaited buyer's token, app or environment, if any.
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
      // By it, held receipts that are due at one instant have an order.
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

  /// Whether its dates are in their order, and only a note of ours states that the purchase is held.
  package var isWhole: Bool { kind == .held || firstSignedAt <= signedAt && held == nil }

  /// Whether both are the same statement, perhaps of other dates.
  func isAboutTheSame(as other: Self) -> Bool {
    kind == other.kind && revokedAt == other.revokedAt && variant == other.variant
  }

  /// The two rows about the same as one; in which order they came makes no difference, unless they are our notes.
  func joined(with other: Self) -> Self {
    if kind == .held { return other }
    var row = signedAt == other.signedAt ? (rank > other.rank ? self : other) : signedAt > other.signedAt ? self : other
    row.firstSignedAt = min(firstSignedAt, other.firstSignedAt)
    // Equal statements differ in their contents only if the buyer's tokens was erased.
    if variant != 0, content.utf8.count != other.content.utf8.count {
      row.content = content.utf8.count < other.content.utf8.count ? content : other.content
    }
    return row
  }

  /// Of two statements of one date the one that gives back more holds; the rest makes the order complete.
  private var rank: (Int64, Int64, String, String) {
    let (kind, amount) = extent.stored
    return (kind == 1 ? .max : kind, amount, content, original ?? "")
  }
}

extension EvidenceRow.Kind {
  /// Whether it states how much of the purchase is given back, which may be nothing.
  package var isAboutRefunds: Bool {
    switch self {
    case .refund, .reversal, .reversalOfAll, .purchased, .reclaim, .decided: true
    case .pending, .cancelled, .bookedBefore, .held: false
    }
  }

  /// Whether the store says by it that the purchase was paid for.
  package var provesPayment: Bool {
    switch self {
    case .refund, .reversal, .reversalOfAll, .purchased: true
    case .reclaim, .pending, .cancelled, .bookedBefore, .held, .decided: false
    }
  }
}

/// Why a genuine purchase is not credited.
package enum HoldReason: Int64, CaseIterable, Sendable {
  /// No product of the catalog has its id at the store.
  case product = 1
  /// Its token names a customer whom nobody has registered yet.
  case buyer = 2
  /// Nobody has posted it, and it names no customer.
  case unattributed = 3
  /// It is not what its order announced, or what the product can be.
  case amount = 4
  /// It is not paid yet.
  case pending = 5
  /// It was bought in another app.
  case app = 7
  /// It was bought in an environment that is not credited.
  case environment = 8
  /// A person has to decide.
  case decision = 9
  /// It was credited to whom posted it, and the customer of its token appeared later.
  case owner = 10
  /// Its customer was erased before the credit; the purchase is never credited.
  case erased = 11
  /// The store declined it.
  case declined = 12
  /// A person has decided about it; the buyer's tokens is still to be erased with the buyer.
  case decided = 13
  /// Its store has given all of it back before it could be credited.
  case refunded = 14

  /// Whether a credit is all that the purchase waits for.
  package var endsWithCredit: Bool { self != .owner && self != .decision && self != .decided }

  /// Whether it is of an app or an environment that is not credited.
  package var isForeign: Bool { self == .app || self == .environment }

  /// Whether somebody waits for the purchase, or has to decide; the others are known for good.
  package var isOpen: Bool {
    switch self {
    case .owner, .erased, .declined, .decided, .refunded: false
    case .product, .buyer, .unattributed, .amount, .pending, .app, .environment, .decision: true
    }
  }

  /// What ends it, for people.
  package var remedy: String {
    switch self {
    case .product: "add the product with its id at the store to the catalog; they are then credited automatically."
    case .buyer: "they are credited to their buyer at sign-in, or to their poster after an hour."
    case .unattributed: "they are credited when their app posts them."
    case .amount: "their quantity does not fit the product, or the balance; credit them with \"receipts credit\"."
    case .pending: "they are not paid yet; the store reports the payment."
    case .app: "they are of another app; name it as bundle_id, or credit single ones with \"receipts credit\"."
    case .environment: "they are of an environment that is not credited; credit single ones with \"receipts credit\"."
    case .decision: "decide about them with \"receipts credit\"."
    case .owner: "they were credited to their poster; no action is needed."
    case .erased: "their customers were erased; they are never credited."
    case .declined: "their stores declined them."
    case .refunded: "their stores refunded them in full; no action is needed."
    case .decided: "a person decided about them; no action is needed."
    }
  }

  /// Its name in lists, exports and counts.
  package var name: String { "\(self)" }

  package init?(name: String) {
    guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = found
  }
}
