internal import GemLedger

/// The lots of an account that hold something, on hold or not.
struct OpenLots {
  /// An account with more is no longer followed.
  static let countMax = 256
  /// How many of the others a spend is compared with.
  static let comparedCountMax = 32

  // Most accounts have one, which then needs no room of its own.
  private var first: LotNumber = 0
  private var others: [LotNumber] = []
  private var isFollowed = true

  /// Whether none but that one is open.
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
