/// A hold as a command left it.
public struct HoldReceipt: Hashable, Sendable {
  /// Names the hold; nil where a preview would begin it.
  public internal(set) var id: HoldID?
  /// What is still on hold, in the order of codes; empty once the hold has ended.
  public let amounts: [CurrencyAmount]
  /// When it ends by itself; nil once it has ended.
  public let expiresAt: Timestamp?
  /// The balances of the currencies that the transaction set aside, captured or released, what is on hold included; in
  /// the order of codes.
  public let balances: [CurrencyAmount]
  /// How much of them can be spent.
  public let available: [CurrencyAmount]
}

/// Another customer's side of a transaction.
public struct ReceiptParty: Hashable, Sendable {
  /// Whose balances changed; the id that the customer came with.
  public let customer: CustomerID
  /// Their transaction; nil in a preview.
  public internal(set) var transactionID: TransactionID?
  /// Their entries.
  public let entries: CompactList<PostedEntry>
  /// Items that came or went.
  public let items: [PostedItem]
}

/// What only some transactions have beside their entries; it lies apart, so that the receipts of the many stay small.
public struct ReceiptExtras: Hashable, Sendable {
  /// The hold that the transaction began, changed or ended.
  public var hold: HoldReceipt?
  /// The transaction that it undoes.
  public var reversed: TransactionID?
  /// What came back too late and is gone: its lots had expired meanwhile.
  public var expired: [CurrencyAmount] = []
  /// What came back and went to what a refund of its purchase had let go, or to what the customer owes.
  public var reclaimed: [CurrencyAmount] = []
  /// The other customers who took part.
  public var parties: [ReceiptParty] = []

  var isEmpty: Bool {
    hold == nil && reversed == nil && expired.isEmpty && reclaimed.isEmpty && parties.isEmpty
  }
}

extension Receipt {
  /// The hold that the transaction began, changed or ended.
  public var hold: HoldReceipt? { extras?.hold }
  /// The transaction that this one undoes.
  public var reversed: TransactionID? { extras?.reversed }
  /// What came back too late and is gone: its lots had expired meanwhile.
  public var expired: [CurrencyAmount] { extras?.expired ?? [] }
  /// What came back and went to what a refund of its purchase had let go, or to what the customer owes.
  public var reclaimed: [CurrencyAmount] { extras?.reclaimed ?? [] }
  /// The other customers who took part.
  public var parties: [ReceiptParty] { extras?.parties ?? [] }
}

extension Receipt {
  /// The receipt without the ids that its commit would have drawn: other transactions get those.
  var asPreview: Receipt {
    guard !isReplayed else { return self }
    var preview = self
    if let hold = preview.extras?.hold, hold.id?.transactionID == transactionID { preview.extras?.hold?.id = nil }
    for index in parties.indices { preview.extras?.parties[index].transactionID = nil }
    preview.transactionID = nil
    return preview
  }
}
