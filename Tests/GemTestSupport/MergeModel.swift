/// An independent model of merges, unmerges, reversals and refunds in one currency whose refunds write the rest off.
///
/// Each unit of currency is an object with an owner: the customer whose account it lies in, or a merge that brought it.
/// The rules are those of the page *Lots*.
struct MergeModel {
  /// 0 is the account's own; other numbers are merges, in their order.
  typealias Owner = Int

  final class Lot {
    let number: Int
    /// Nil for pooled currency.
    let purchase: Int?
    let isPaid: Bool
    /// The purchase's own lot that it came out of; the lot itself where it is that.
    let root: Int
    var account: Int
    var units: [Owner] = []
    /// What the lot held when its account went to another, by account.
    var departed: [Int: [Owner]] = [:]

    init(_ number: Int, account: Int, purchase: Int? = nil, isPaid: Bool = false, root: Int? = nil) {
      (self.number, self.account, self.purchase, self.isPaid) = (number, account, purchase, isPaid)
      self.root = root ?? number
    }
  }

  /// A unit that was taken: from which lot, and whose it was in which account.
  struct Taken {
    let lot: Lot
    let owner: Owner
    let account: Int
  }

  struct Spend {
    let customer: Int
    var taken: [Taken]
  }

  struct Purchase {
    let customer: Int
    /// The paid lot and the bonus.
    let lots: [Lot]
    let granted: [Int]
    var isRefunded = false
    var short = 0
    var taken: [Taken] = []
  }

  struct Merge {
    let from: Int
    let into: Int
    let members: Set<Int>
    var isUndone = false
  }

  private var lots: [Lot] = []
  private var pools: [Int: Lot] = [:]
  private(set) var survivors: [Int: Int] = [:]
  private var merges: [Merge] = []
  var spends: [Spend] = []
  var purchases: [Purchase] = []

  // MARK: Reading

  func root(of customer: Int) -> Int {
    var root = customer
    while let survivor = survivors[root] { root = survivor }
    return root
  }

  func balance(of customer: Int) -> Int { open(in: root(of: customer)).reduce(0) { $0 + $1.units.count } }

  /// Free before paid, then the oldest.
  private func open(in account: Int) -> [Lot] {
    lots.filter { $0.account == account && !$0.units.isEmpty }.sorted {
      ($0.isPaid ? 1 : 0, $0.number) < ($1.isPaid ? 1 : 0, $1.number)
    }
  }

  private func members(of customer: Int) -> Set<Int> {
    var found: Set = [customer]
    for (part, _) in survivors {
      var next = part
      while let survivor = survivors[next] {
        next = survivor
        if next == customer { found.insert(part) }
      }
    }
    return found
  }

  // MARK: Commands

  mutating func grant(_ count: Int, to customer: Int) {
    pool(of: root(of: customer)).units += Array(repeating: 0, count: count)
  }

  mutating func buy(paid: Int, bonus: Int, for customer: Int) {
    let account = root(of: customer)
    let own = [(paid, true), (bonus, false)].map { (count, isPaid) in
      let lot = Lot(lots.count, account: account, purchase: purchases.count, isPaid: isPaid)
      lot.units = Array(repeating: 0, count: count)
      lots.append(lot)
      return lot
    }
    purchases.append(Purchase(customer: account, lots: own, granted: [paid, bonus]))
  }

  mutating func spend(_ count: Int, of customer: Int) {
    let account = root(of: customer)
    spends.append(Spend(customer: account, taken: burn(count, in: account)))
  }

  mutating func reverse(_ index: Int, count: Int) {
    let spend = spends[index]
    let account = root(of: spend.customer)
    let back = Array(spend.taken.suffix(count).reversed())
    spends[index].taken.removeLast(count)
    reclaim(putBack(back, to: account, takenFrom: spend.customer), in: account)
  }

  /// What is back of a refunded purchase whose refund found too little is due to the refund.
  private mutating func reclaim(_ back: [(Lot, Int)], in account: Int) {
    for (lot, units) in back {
      guard let purchase = lot.purchase, purchases[purchase].isRefunded,
        root(of: purchases[purchase].customer) == account || lot.root == lot.number
      else { continue }
      let due = min(units, purchases[purchase].short)
      purchases[purchase].short -= due
      for _ in 0..<due { purchases[purchase].taken.append(burnOne(of: lot)) }
    }
  }

  mutating func merge(_ from: Int, into: Int) {
    merges.append(Merge(from: from, into: into, members: members(of: from)))
    survivors[from] = into
    for lot in open(in: from).sorted(by: { $0.number < $1.number }) {
      lot.departed[from] = lot.units
      let moved = lot.units.map { _ in merges.count }
      if lot.purchase == nil {
        lot.units = []
        pool(of: into).units += moved
      } else {
        (lot.units, lot.account) = (moved, into)
      }
    }
    reclaim(
      open(in: into).filter { $0.purchase.map { root(of: purchases[$0].customer) == into } ?? false }
        .map { ($0, $0.units.count) }, in: into)
  }

  /// - Returns: Whether it can be undone: the customer is part of one that is no other's.
  mutating func unmerge(_ customer: Int) -> Bool {
    guard let survivor = survivors[customer], survivors[survivor] == nil,
      let index = merges.lastIndex(where: { $0.from == customer && !$0.isUndone })
    else { return false }
    let owner = index + 1
    let lots = open(in: survivor).filter { $0.units.contains(owner) }
    merges[index].isUndone = true
    survivors[customer] = nil
    var (back, spoiled) = ([(Lot, Int)](), [Lot]())
    for lot in lots {
      guard lot.purchase == nil else {
        lot.account = customer
        spoiled.append(lot)
        continue
      }
      let count = lot.units.count { $0 == owner }
      lot.units.removeAll { $0 == owner }
      back.append((pool(of: customer), count))
    }
    for lot in spoiled { back.append((lot, lot.units.count)) }
    for (lot, count) in back {
      // What the customer's own parts had when they went away; what is missing was burnt by the rule.
      var left = (lot.departed[customer] ?? []).sorted()
      if left.count > count { left.removeFirst(left.count - count) }
      let more = Array(repeating: 0, count: count - left.count)
      lot.units = (lot.purchase == nil ? lot.units : []) + left + more
    }
    for lot in self.lots { lot.departed[customer] = nil }
    return true
  }

  mutating func refund(_ index: Int) {
    let purchase = purchases[index]
    let account = root(of: purchase.customer)
    var due = purchase.granted
    var taken: [Taken] = []
    for (position, lot) in purchase.lots.enumerated() where lot.account == account {
      while due[position] > 0, !lot.units.isEmpty {
        taken.append(burnOne(of: lot))
        due[position] -= 1
      }
    }
    for lot in open(in: account) where lot.purchase == index && lot.root != lot.number {
      guard let position = purchase.lots.firstIndex(where: { $0.number == lot.root }) else { continue }
      while due[position] > 0, !lot.units.isEmpty {
        taken.append(burnOne(of: lot))
        due[position] -= 1
      }
    }
    let rest = due.reduce(0, +)
    let others = burn(min(rest, balance(of: account)), in: account)
    purchases[index].isRefunded = true
    purchases[index].short = rest - others.count
    purchases[index].taken = taken + others
  }

  mutating func reverseRefund(_ index: Int) {
    let purchase = purchases[index]
    purchases[index].isRefunded = false
    purchases[index].short = 0
    purchases[index].taken = []
    // Exactly what was taken is given back, whatever other refunds lack.
    _ = putBack(purchase.taken.reversed(), to: root(of: purchase.customer), takenFrom: purchase.customer)
  }

  // MARK: Units

  private mutating func pool(of account: Int) -> Lot {
    if let pool = pools[account] { return pool }
    let pool = Lot(lots.count, account: account)
    lots.append(pool)
    pools[account] = pool
    return pool
  }

  private mutating func burn(_ count: Int, in account: Int) -> [Taken] {
    (0..<count).map { _ in burnOne(of: open(in: account)[0]) }
  }

  private mutating func burnOne(of lot: Lot) -> Taken {
    let first = lot.units.indices.min { lot.units[$0] < lot.units[$1] } ?? 0
    return Taken(lot: lot, owner: lot.units.remove(at: first), account: lot.account)
  }

  /// Puts units back into the lots that they came from, as far as those are the account's.
  private mutating func putBack(_ units: [Taken], to account: Int, takenFrom customer: Int) -> [(Lot, Int)] {
    var made: [Int: Lot] = [:]
    var counts: [(Lot, Int)] = []
    let members = members(of: account)
    for unit in units {
      var lot = unit.lot
      if lot.purchase == nil {
        lot = pool(of: account)
      } else if members.contains(lot.account) {
        lot.account = account
      } else {
        lot =
          made[unit.lot.number]
          ?? Lot(
            lots.count, account: account, purchase: lot.purchase, isPaid: lot.isPaid, root: lot.root)
        if made.updateValue(lot, forKey: unit.lot.number) == nil { lots.append(lot) }
      }
      lot.units.append(owner(of: unit, in: account, takenFrom: customer))
      if let index = counts.firstIndex(where: { $0.0 === lot }) {
        counts[index].1 += 1
      } else {
        counts.append((lot, 1))
      }
    }
    return counts
  }

  private func owner(of unit: Taken, in account: Int, takenFrom customer: Int) -> Owner {
    if unit.account == account, unit.owner == 0 || !merges[unit.owner - 1].isUndone { return unit.owner }
    let merge = merges.lastIndex { $0.into == account && !$0.isUndone && $0.members.contains(customer) }
    return merge.map { $0 + 1 } ?? 0
  }
}
