/// What a merge moved, and what of it an unmerge brought back.
///
/// The rest is not there any more: the survivor spent it, it expired, a refund took it, or it repaid a debt. The
/// survivor gives nothing else for it.
public struct UnmergeReport: Hashable, Sendable {
  /// The customer that the unmerge split; the original id.
  public let survivor: CustomerID
  /// The merge that was undone.
  public let merge: TransactionID
  /// The lots that the merge moved, and those that currency from before the merge has filled since, in the order of
  /// their currencies' codes and then of their numbers.
  public let lots: [UnmergedLot]
  /// The debts that the merge moved and did not settle, in the order of codes.
  public let debts: [UnmergedDebt]
  /// The items that the merge moved, in the order of their ids.
  public let items: [UnmergedItem]

  /// Whether all that the merge moved returned.
  public var isWhole: Bool {
    lots.allSatisfy { $0.missing == 0 } && debts.allSatisfy { $0.missing == 0 } && items.allSatisfy { $0.missing == 0 }
  }
}

/// A lot that a merge moved.
public struct UnmergedLot: Hashable, Sendable {
  /// The lot's currency.
  public let currency: CurrencyCode
  /// The lot's number as the survivor has it.
  public let lot: Int64
  /// The origin of the lot.
  public let source: LotSource
  /// How much the merge moved; 0 if the lot was empty then.
  public let moved: Int64
  /// How much returned; more than was moved if spent currency returned to the lot since.
  public let returned: Int64
  /// How much of what was moved is not there any more.
  public var missing: Int64 { max(0, moved - returned) }
}

/// A debt that a merge moved.
public struct UnmergedDebt: Hashable, Sendable {
  /// The debt's currency.
  public let currency: CurrencyCode
  /// How much the merge moved.
  public let moved: Int64
  /// How much returned as a debt.
  public let returned: Int64
  /// How much the survivor has repaid since.
  public var missing: Int64 { moved - returned }
}

/// Items that a merge moved.
public struct UnmergedItem: Hashable, Sendable {
  /// Which item.
  public let item: ItemID
  /// How many the merge moved.
  public let moved: Int64
  /// How many returned.
  public let returned: Int64
  /// How many the survivor does not own any more.
  public var missing: Int64 { moved - returned }
}
