public import GemLedger

/// Where a lot came from, down to the receipt.
public struct LotOrigin: Hashable, Sendable {
  /// The lot's number; 0 for one that has come about by itself and is not booked yet.
  public let lot: Int64
  /// How it came.
  public let source: LotSource
  /// Production, sandbox, or a test session.
  public let environment: StoreEnvironment
  /// The price paid for the whole lot.
  public let price: Money?
  /// From when on it is worth nothing; nil for never.
  public let expiresAt: Timestamp?
  /// The purchase that it came from, by any buyer; nil where it was not bought.
  public let purchase: Purchase?
  /// The lots that its currency came out of, by transfers and exchanges, the nearest before the others; of a long way
  /// the first lot alone stands for those before.
  public let origins: [Int64]
}

/// Finds out where lots came from; reads each once.
struct LotReader {
  /// How far a lot is followed from hand to hand.
  static let originCountMax = 100

  let snapshot: any StorageSnapshot
  private var reader: PurchaseReader
  private var lots: [LotNumber: LotOrigin] = [:]
  private var purchases: [Int64: Purchase] = [:]

  init(snapshot: any StorageSnapshot, definitions: CurrencyDefinitions) {
    self.snapshot = snapshot
    reader = PurchaseReader(snapshot: snapshot, definitions: definitions)
  }

  /// - Parameter owner: A past or present owner of the lot.
  mutating func origin(of lot: LotNumber, owner: CustomerNumber) throws(LedgerError) -> LotOrigin {
    if let known = lots[lot] { return known }
    let attributes = try attributes(of: lot, owner: owner)
    var (first, origins) = (attributes, [LotNumber]())
    while first.originalLot != 0, origins.count < Self.originCountMax {
      origins.append(first.originalLot)
      first = try self.attributes(of: first.originalLot, owner: nil)
    }
    let found = LotOrigin(
      lot: lot, source: attributes.source, environment: try reader.environment(attributes.environment),
      price: attributes.price,
      expiresAt: attributes.expiresAt == .max ? nil : Timestamp(milliseconds: attributes.expiresAt),
      purchase: try first.purchase.map { (number) throws(LedgerError) in try purchase(number) }, origins: origins)
    lots[lot] = found
    return found
  }

  /// Makes a lot known that the journal does not have yet.
  mutating func add(_ attributes: LotAttributesRow) throws(LedgerError) {
    lots[attributes.lot] = LotOrigin(
      lot: 0, source: attributes.source, environment: try reader.environment(attributes.environment),
      price: attributes.price,
      expiresAt: attributes.expiresAt == .max ? nil : Timestamp(milliseconds: attributes.expiresAt), purchase: nil,
      origins: [])
  }

  mutating func purchase(_ row: PurchaseRow) throws(LedgerError) -> Purchase {
    if let known = purchases[row.number] { return known }
    let purchase = try reader.purchase(row)
    purchases[row.number] = purchase
    return purchase
  }

  mutating func environment(_ number: Int64) throws(LedgerError) -> StoreEnvironment {
    try reader.environment(number)
  }

  private mutating func purchase(_ number: Int64) throws(LedgerError) -> Purchase {
    if let known = purchases[number] { return known }
    guard let row = try snapshot.purchase(number: number) else {
      throw LedgerError(.storageDamaged, "Purchase number \(number), which a lot names, has no row; run verify.")
    }
    return try purchase(row)
  }

  private func attributes(of lot: LotNumber, owner: CustomerNumber?) throws(LedgerError) -> LotAttributesRow {
    var attributes: LotAttributesRow?
    if let owner { attributes = try snapshot.lotAttributes(lot, of: owner) }
    if attributes == nil { attributes = try snapshot.lotAttributes(lot) }
    guard let attributes else {
      throw LedgerError(.storageDamaged, "The journal lacks the terms of lot \(lot); run verify.")
    }
    return attributes
  }
}

/// The value of a part of a lot.
enum LotValue {
  /// Returns the price of the remaining part of a lot: the spent part rounds down, so that the rest takes the
  /// remainder.
  static func rest(of price: Int64, granted: Int64, remaining: Int64) -> Int64 {
    guard granted > 0 else { return remaining > 0 ? price : 0 }
    let spent = max(0, Int128(granted) - Int128(remaining))
    return price - Int64(clamping: Int128(price) * spent / Int128(granted))
  }
}
