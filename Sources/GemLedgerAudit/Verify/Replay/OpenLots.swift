internal import GemLedger

/// The lots of an account that have an amount, held or not.
struct OpenLots {
  /// The maximum number of lots; an account with more is not followed.
  static let countMax = 256
  /// The maximum number of other lots that a spend is compared with.
  static let comparedCountMax = 32

  // Most accounts have one lot, which needs no array.
  private var first: LotNumber = 0
  private var others: [LotNumber] = []
  private var isFollowed = true

  /// Whether no other lot is open.
  func isNone(but lot: LotNumber) -> Bool { first == 0 || first == lot && others.isEmpty }

  mutating func open(_ lot: LotNumber) {
    guard isFollowed else { return }
    if first == 0 {
      first = lot
    } else if others.count < Self.countMax {
      others.append(lot)
    } else {
      (first, others, isFollowed) = (0, [], false)
    }
  }

  mutating func close(_ lot: LotNumber) {
    if first == lot {
      first = others.isEmpty ? 0 : others.removeFirst()
    } else if let index = others.firstIndex(of: lot) {
      others.remove(at: index)
    }
  }

  func all(but taken: [LotNumber]) -> [LotNumber] {
    guard first != 0 else { return [] }
    return ([first] + others).filter { !taken.contains($0) }
  }
}
