/// A hold after a command.
public struct HoldBooking: Hashable, Sendable {
  /// The hold's id; nil for a preview that would begin it.
  public internal(set) var id: HoldID?
  /// The amounts still on hold, in the order of codes; empty once the hold has ended.
  public let amounts: [CurrencyAmount]
  /// The hold's deadline; nil once it has ended.
  public let expiresAt: Timestamp?
  /// The balances of the currencies that the transaction set aside, captured or released, held amounts included.
  ///
  /// In the order of codes.
  public let balances: [CurrencyAmount]
  /// The spendable part of those balances.
  public let available: [CurrencyAmount]
}

/// Another customer's side of a transaction.
public struct BookingParty: Hashable, Sendable {
  /// The customer with the changed balances; the original id.
  public let customer: CustomerID
  /// The customer's transaction; nil in a preview.
  public internal(set) var transactionID: TransactionID?
  /// The customer's entries.
  public let entries: CompactList<PostedEntry>
  /// Items that the customer gained or lost.
  public let items: [PostedItem]
}

/// The parts that only some transactions have in addition to entries; stored separately, so that most bookings stay
/// small.
public struct BookingExtras: Hashable, Sendable {
  /// The hold that the transaction began, changed or ended.
  public var hold: HoldBooking?
  /// The transaction that this transaction undoes.
  public var reversed: TransactionID?
  /// Amounts that were returned after their lots had expired, and so were lost.
  public var expired: [CurrencyAmount] = []
  /// Amounts that were returned and then taken for a purchase's refund or the customer's debt.
  public var reclaimed: [CurrencyAmount] = []
  /// The other participating customers.
  public var parties: [BookingParty] = []
  /// For an unmerge, the moved amounts of the merge and the returned amounts.
  public var unmerged: UnmergeReport?

  var isEmpty: Bool {
    hold == nil && reversed == nil && expired.isEmpty && reclaimed.isEmpty && parties.isEmpty && unmerged == nil
  }
}

extension Booking {
  /// The hold that the transaction began, changed or ended.
  public var hold: HoldBooking? { extras?.hold }
  /// The transaction that this transaction undoes.
  public var reversed: TransactionID? { extras?.reversed }
  /// Amounts that were returned after their lots had expired, and so were lost.
  public var expired: [CurrencyAmount] { extras?.expired ?? [] }
  /// Amounts that were returned and then taken for a purchase's refund or the customer's debt.
  public var reclaimed: [CurrencyAmount] { extras?.reclaimed ?? [] }
  /// The other participating customers.
  public var parties: [BookingParty] { extras?.parties ?? [] }
  /// For an unmerge, the moved amounts of the merge and the returned amounts; nil for all others.
  public var unmerged: UnmergeReport? { extras?.unmerged }
}

extension Booking {
  /// The booking without the ids that its commit would have drawn: other transactions draw those ids later.
  var asPreview: Booking {
    guard !isReplayed else { return self }
    var preview = self
    if let hold = preview.extras?.hold, hold.id?.transactionID == transactionID { preview.extras?.hold?.id = nil }
    for index in parties.indices { preview.extras?.parties[index].transactionID = nil }
    preview.transactionID = nil
    return preview
  }
}
