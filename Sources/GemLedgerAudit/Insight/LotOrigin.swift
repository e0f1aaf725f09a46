public import GemLedger

/// The origin of a lot, down to the receipt.
public struct LotOrigin: Hashable, Sendable {
  /// The lot's number; 0 for a scheduled lot that is not booked yet.
  public let lot: Int64
  /// The kind of the lot.
  public let source: LotSource
  /// Production, sandbox, or a test session.
  public let environment: StoreEnvironment
  /// The price paid for the whole lot.
  public let price: Money?
  /// The expiry time; nil if it never expires.
  public let expiresAt: Timestamp?
  /// The purchase of the currency, by any buyer; nil if it was not bought.
  public let purchase: Purchase?
  /// The lots that its currency was transferred or exchanged from, nearest first.
  ///
  /// A long chain is cut: it ends with its first lot.
  public let origins: [Int64]
}

/// Finds the origins of lots, and reads each lot once.
struct LotReader {
  /// The maximum number of followed transfers and exchanges of a lot.
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

  /// Adds a lot that is not in the journal yet.
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
  /// Returns the price of a lot's remaining part: the spent part rounds down, so the rest gets the remainder.
  static func rest(of price: Int64, granted: Int64, remaining: Int64) -> Int64 {
    guard granted > 0 else { return remaining > 0 ? price : 0 }
    let spent = max(0, Int128(granted) - Int128(remaining))
    return price - Int64(clamping: Int128(price) * spent / Int128(granted))
  }
}
