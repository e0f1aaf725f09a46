/// The amounts that a merge moved and that its unmerge returned.
///
/// The rest no longer exists: the survivor spent it, it expired, a refund took it, or it repaid a debt. The survivor
/// does not replace it.
public struct UnmergeReport: Hashable, Sendable {
  /// The customer that the unmerge split; the original id.
  public let survivor: CustomerID
  /// The merge that was undone.
  public let merge: TransactionID
  /// The lots that the merge moved, and lots that older currency has filled since, in the order of currency codes and
  /// then of lot numbers.
  public let lots: [UnmergedLot]
  /// The debts that the merge moved and did not settle, in the order of codes.
  public let debts: [UnmergedDebt]
  /// The items that the merge moved, in the order of their ids.
  public let items: [UnmergedItem]

  /// Whether the unmerge returned everything that the merge moved.
  public var isWhole: Bool {
    lots.allSatisfy { $0.missing == 0 } && debts.allSatisfy { $0.missing == 0 } && items.allSatisfy { $0.missing == 0 }
  }
}

/// A lot that a merge moved.
public struct UnmergedLot: Hashable, Sendable {
  /// The lot's currency.
  public let currency: CurrencyCode
  /// The lot's number on the survivor's side.
  public let lot: Int64
  /// The source of the lot.
  public let source: LotSource
  /// The amount that the merge moved; 0 if the lot was empty then.
  public let moved: Int64
  /// The returned amount; more than the moved amount if spent currency has returned to the lot since.
  public let returned: Int64
  /// The moved amount that no longer exists.
  public var missing: Int64 { max(0, moved - returned) }
}

/// A debt that a merge moved.
public struct UnmergedDebt: Hashable, Sendable {
  /// The debt's currency.
  public let currency: CurrencyCode
  /// The debt that the merge moved.
  public let moved: Int64
  /// The debt that the unmerge returned.
  public let returned: Int64
  /// The debt that the survivor has repaid since.
  public var missing: Int64 { moved - returned }
}

/// Items that a merge moved.
public struct UnmergedItem: Hashable, Sendable {
  /// The item.
  public let item: ItemID
  /// The quantity that the merge moved.
  public let moved: Int64
  /// The quantity that the unmerge returned.
  public let returned: Int64
  /// The quantity that the survivor no longer owns.
  public var missing: Int64 { moved - returned }
}
