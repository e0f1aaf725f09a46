/// The lots of an account with a remaining amount, free and paid separately, in the order of burning.
struct AccountLots {
  struct Open {
    private(set) var positions: [LotPosition] = []

    func firstIndex(after position: LotPosition) -> Int {
      let index = firstIndex(notBefore: position)
      return index < positions.count && positions[index] == position ? index + 1 : index
    }

    mutating func set(_ position: LotPosition, isOpen: Bool) {
      let index = firstIndex(notBefore: position)
      if isOpen { positions.insert(position, at: index) } else { positions.remove(at: index) }
    }

    private func firstIndex(notBefore position: LotPosition) -> Int {
      positions.partitioningIndex { $0 >= position }
    }
  }

  var free = Open()
  var paid = Open()
  /// Lots that receive further credits of the same source and environment.
  var pooled: [LotNumber] = []

  mutating func setOpen(_ lot: LotRow, isOpen: Bool) {
    let position = LotPosition(expiresAt: lot.expiresAt, lot: lot.number)
    if lot.isPaid { paid.set(position, isOpen: isOpen) } else { free.set(position, isOpen: isOpen) }
  }
}
