/// A hold as a command left it.
public struct HoldBooking: Hashable, Sendable {
  /// Names the hold; nil if a preview would begin it.
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
  /// Items that came or went.
  public let items: [PostedItem]
}

/// The parts that only some transactions have beside their entries; kept separate, so that most bookings stay small.
public struct BookingExtras: Hashable, Sendable {
  /// The hold that the transaction began, changed or ended.
  public var hold: HoldBooking?
  /// The transaction that it undoes.
  public var reversed: TransactionID?
  /// Amounts that were returned too late and are gone: their lots had expired meanwhile.
  public var expired: [CurrencyAmount] = []
  /// Amounts that were returned and then taken for a purchase's refund or the customer's debt.
  public var reclaimed: [CurrencyAmount] = []
  /// The other participating customers.
  public var parties: [BookingParty] = []
  /// For an unmerge, what the merge had moved and what of it returned.
  public var unmerged: UnmergeReport?

  var isEmpty: Bool {
    hold == nil && reversed == nil && expired.isEmpty && reclaimed.isEmpty && parties.isEmpty && unmerged == nil
  }
}

extension Booking {
  /// The hold that the transaction began, changed or ended.
  public var hold: HoldBooking? { extras?.hold }
  /// The transaction that this one undoes.
  public var reversed: TransactionID? { extras?.reversed }
  /// Amounts that were returned too late and are gone: their lots had expired meanwhile.
  public var expired: [CurrencyAmount] { extras?.expired ?? [] }
  /// Amounts that were returned and then taken for a purchase's refund or the customer's debt.
  public var reclaimed: [CurrencyAmount] { extras?.reclaimed ?? [] }
  /// The other participating customers.
  public var parties: [BookingParty] { extras?.parties ?? [] }
  /// For an unmerge, what the merge had moved and what of it returned; nil for all others.
  public var unmerged: UnmergeReport? { extras?.unmerged }
}

extension Booking {
  /// The booking without the ids that its commit would have drawn: other transactions get those.
  var asPreview: Booking {
    guard !isReplayed else { return self }
    var preview = self
    if let hold = preview.extras?.hold, hold.id?.transactionID == transactionID { preview.extras?.hold?.id = nil }
    for index in parties.indices { preview.extras?.parties[index].transactionID = nil }
    preview.transactionID = nil
    return preview
  }
}
