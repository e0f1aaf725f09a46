internal import GemLedger

// Refunds and merges, as plainly as they can be written.

extension ModelLedger {
  struct Granted {
    var code: String
    /// Paid before bonus.
    var lots: [Int]
    var amounts: [Int64]
  }

  /// An effect of a refund on one of the purchase's lots that is not undone yet.
  struct Claim {
    enum Kind { case taken, owed, short }

    var lot: Int
    var kind: Kind
    var source: Int
    var amount: Int64
  }

  struct Purchase {
    var identity: String
    var answer: Answer
    var owner: String
    var quantity: Int64
    var granted: [Granted]
    var items: [String: Int64]
    /// How much is clawed back, as a fraction.
    var share: (part: Int64, whole: Int64) = (0, 1)
    var claims: [Claim] = []
    /// Whether the change at hand lost some of a currency that freezes.
    var freezes = false
    var isFreezing = false
    /// The bookings, each with its notice.
    var refunds: [(notice: String, answer: Answer)] = []

    func due(_ granted: Granted, _ share: (part: Int64, whole: Int64)) -> [Int64] {
      let sum = granted.amounts.reduce(0, +)
      let due = (sum * share.part + share.whole - 1) / share.whole
      guard granted.amounts.count == 2 else { return [due] }
      let bonus = due * granted.amounts[1] / sum
      return [due - bonus, bonus]
    }
  }

  struct Notice {
    var identity: String
    /// The subject of the notice: the kind, and the date of the refund.
    var subject: String
    var isRefund: Bool
    var revokedAt: Int64?
    var signedAt: Int64
    var extent: Extent
  }

  package var purchaseIDs: [String] { purchases.map(\.identity) }

  // MARK: Notices

  mutating func decideNotice(_ command: Command) throws -> Answer {
    guard let notice = Self.notice(command.request) else { throw Refusal(code: "unexpected") }
    let isNew = !notices.contains {
      $0.identity == notice.identity && $0.subject == notice.subject && $0.signedAt >= notice.signedAt
    }
    let kind: EntryKind = notice.isRefund ? .refund : .reversedRefund
    guard let index = purchases.firstIndex(where: { $0.identity == notice.identity }) else {
      if isNew { notices.append(notice) }
      let id = String(notice.identity.prefix { $0 != "/" })
      return .booked(kind: kind, customer: id, entries: [], items: [], replayed: !isNew)
    }
    let owner = person(purchases[index].owner)
    let again = { (model: Self) -> Answer in
      let refunds = model.purchases[index].refunds
      guard let same = refunds.last(where: { $0.notice == notice.subject }) ?? refunds.last else {
        return .booked(kind: kind, customer: owner, entries: [], items: [], replayed: true)
      }
      return model.replay(same.answer, customer: owner)
    }
    guard isNew else { return again(self) }
    var own = command
    own.customer = owner
    if let answer = try answerUnderKey(own) { return answer }
    notices.append(notice)
    guard let answer = bookDue(index, notice.subject) else { return again(self) }
    keep(answer, own)
    return answer
  }

  mutating func applyEarlyNotices(_ identity: String) throws {
    guard let index = purchases.firstIndex(where: { $0.identity == identity }) else { return }
    let early = notices.filter { $0.identity == identity }
    let newest = early.max { ($0.signedAt, $0.rank) < ($1.signedAt, $1.rank) }
    if let newest { _ = bookDue(index, newest.subject) }
  }

  private static func notice(_ request: Request) -> Notice? {
    switch request {
    case .refund(let id, let session, let extent, let revokedAt, let signedAt):
      Notice(
        identity: "\(id)/\(session ?? "")", subject: "refund \(revokedAt)", isRefund: true, revokedAt: revokedAt,
        signedAt: signedAt, extent: extent)
    case .reverse(let id, let session, let revokedAt, let signedAt):
      Notice(
        identity: "\(id)/\(session ?? "")", subject: "reversal \(revokedAt ?? -1)", isRefund: false,
        revokedAt: revokedAt, signedAt: signedAt, extent: .full)
    default: nil
    }
  }

  private func share(_ purchase: Purchase) -> (part: Int64, whole: Int64) {
    let own = notices.filter { $0.identity == purchase.identity }
    // Of what counts from the whole purchase, the newest; of one date, the most.
    var (signedAt, thousandths) = (Int64.min, Int64(0))
    var standing: [(date: Int64, extent: Extent)] = []
    for date in Set(own.filter(\.isRefund).compactMap(\.revokedAt)) {
      guard let newest = own.filter({ $0.isRefund && $0.revokedAt == date }).max(by: { $0.signedAt < $1.signedAt }),
        !own.contains(where: {
          !$0.isRefund && $0.signedAt >= newest.signedAt && ($0.revokedAt ?? date) == date
        })
      else { continue }
      let whole: Int64? =
        switch newest.extent {
        case .full: 100_000
        case .milliPercent(let part): part
        case .quantity, .totalQuantity: nil
        }
      if let whole, (newest.signedAt, whole) > (signedAt, thousandths) {
        (signedAt, thousandths) = (newest.signedAt, whole)
      }
      standing.append((date, newest.extent))
    }
    var best: (part: Int64, whole: Int64) = (thousandths, 100_000)
    // From the beginning, or from the date of a refund that gives the total of all refunds until then.
    var starts: [(date: Int64, units: Int64)] = [(.min, 0)]
    for case (let date, .totalQuantity(let units)) in standing { starts.append((date, units)) }
    for start in starts {
      var units = start.units
      for case (let date, .quantity(let more)) in standing where date > start.date { units += more }
      let part = min(units, purchase.quantity)
      if part * best.whole > best.part * purchase.quantity { best = (part, purchase.quantity) }
    }
    return best
  }

  // MARK: Taking back and giving back

  private mutating func bookDue(_ index: Int, _ subject: String) -> Answer? {
    let purchase = purchases[index]
    let (before, after) = (purchase.share, share(purchase))
    let isMore = after.part * before.whole > before.part * after.whole
    if !isMore, after.part * before.whole == before.part * after.whole { return nil }
    let owner = person(purchase.owner)
    var changes: [Change] = []
    for granted in purchase.granted {
      let (old, new) = (purchase.due(granted, before), purchase.due(granted, after))
      let change = zip(new, old).map { $0 - $1 }
      if change.contains(where: { $0 != 0 }) {
        changes.append(Change(granted: granted, amounts: isMore ? change : change.map { -$0 }))
      }
    }
    let moving = changes.filter { isMoving($0, index, owner, isMore) }
    for change in moving { bookExpiry(owner, change.granted.code) }
    transactionCount += 1
    var posted: [Entry] = []
    for change in changes {
      let entry = isMore ? takeBack(change, index, owner) : giveBack(change, index, owner)
      if let entry { posted.append(entry) }
    }
    let booked = Answer.booked(
      kind: isMore ? .refund : .reversedRefund, customer: owner, entries: posted, items: [], replayed: false)
    let answer = add(items(index, before, after, owner, isMore), to: booked, owner)
    setFrozen(index, owner, isMore)
    purchases[index].share = after
    purchases[index].refunds.append((subject, answer))
    return answer
  }

  private struct Change {
    var granted: Granted
    var amounts: [Int64]
  }

  /// Whether the change makes an entry; only then expiries that are due are booked with it.
  private func isMoving(_ change: Change, _ index: Int, _ owner: String, _ isMore: Bool) -> Bool {
    var copy = self
    return (isMore ? copy.takeBack(change, index, owner) : copy.giveBack(change, index, owner)) != nil
  }

  private mutating func takeBack(_ change: Change, _ index: Int, _ owner: String) -> Entry? {
    let (code, own) = (change.granted.code, change.granted.lots)
    var rest = change.amounts
    var taken: [(lot: Int, amount: Int64)] = []
    for (position, lot) in own.enumerated() where lots[lot].customer == owner && isLive(lots[lot]) {
      let part = min(rest[position], lots[lot].remaining)
      guard part > 0 else { continue }
      rest[position] -= part
      lots[lot].remaining -= part
      taken.append((lot, part))
      purchases[index].add(Claim(lot: lot, kind: .taken, source: lot, amount: part))
    }
    for (source, amount) in burnLots(min(balance(owner, code), rest.reduce(0, +)), owner, code) {
      var amount = amount
      if let known = taken.firstIndex(where: { $0.lot == source }) {
        taken[known].amount += amount
      } else {
        taken.append((source, amount))
      }
      for position in own.indices {
        let part = min(amount, rest[position])
        amount -= part
        rest[position] -= part
        if part > 0 {
          purchases[index].add(Claim(lot: own[position], kind: .taken, source: source, amount: part))
        }
      }
    }
    var owed: Int64 = 0
    for position in own.indices where rest[position] > 0 {
      let kind: Claim.Kind = code == "RUBY" ? .owed : .short
      purchases[index].add(Claim(lot: own[position], kind: kind, source: -1, amount: rest[position]))
      if kind == .owed { owed += rest[position] }
      if code == "ORE" { purchases[index].freezes = true }
    }
    if taken.isEmpty, owed == 0 { return nil }
    return enter(
      .refund, owner, code, taken.map { Taken(source: lots[$0.lot].source, amount: -$0.amount) }, debtChange: owed)
  }

  private mutating func giveBack(_ change: Change, _ index: Int, _ owner: String) -> Entry? {
    let code = change.granted.code
    var returns: [(lot: Int, amount: Int64)] = []
    var cancelled: Int64 = 0
    for (position, lot) in change.granted.lots.enumerated() {
      var rest = change.amounts[position]
      for claim in purchases[index].claimsToUndo(of: lot) {
        let undone = min(rest, claim.amount)
        guard undone > 0 else { continue }
        rest -= undone
        purchases[index].undo(undone, of: claim)
        switch claim.kind {
        case .short: break
        case .taken: returns.append((claim.source, undone))
        case .owed:
          let part = min(undone, debt(owner, code) - cancelled)
          cancelled += part
          if undone > part { returns.append((lot, undone - part)) }
        }
      }
    }
    if returns.isEmpty, cancelled == 0 { return nil }
    var taken: [Taken] = []
    var credits: [Int] = []
    for (lot, amount) in returns {
      credits.append(putBack(amount, into: lot, of: owner))
      taken.append(Taken(source: lots[lot].source, amount: amount))
    }
    return credit(.reversedRefund, owner, code, taken, credits, debtChange: -cancelled)
  }

  private mutating func putBack(_ amount: Int64, into lot: Int, of owner: String) -> Int {
    if lots[lot].customer != owner, lots[lot].isPooled {
      return position(amount, owner, lots[lot].currency, lots[lot].source, expiresAt: nil)
    }
    lots[lot].customer = owner
    lots[lot].remaining += amount
    return lot
  }

  private func items(
    _ index: Int, _ before: (part: Int64, whole: Int64), _ after: (part: Int64, whole: Int64), _ owner: String,
    _ isMore: Bool
  ) -> [(String, Int64)] {
    var changes: [(String, Int64)] = []
    for (item, quantity) in purchases[index].items {
      let (old, new) = (quantity * before.part / before.whole, quantity * after.part / after.whole)
      let taken = itemsTaken(index, item)
      let change = isMore ? -min(new - old, owned[owner + "/" + item] ?? 0) : max(0, taken - new)
      if change != 0 { changes.append((item, change)) }
    }
    return changes
  }

  private func itemsTaken(_ index: Int, _ item: String) -> Int64 {
    var taken: Int64 = 0
    for refund in purchases[index].refunds {
      guard case .booked(_, _, _, let items, _) = refund.answer else { continue }
      for text in items where text.hasPrefix(item + " ") { taken -= Int64(text.split(separator: " ")[1]) ?? 0 }
    }
    return taken
  }

  private mutating func setFrozen(_ index: Int, _ owner: String, _ isMore: Bool) {
    let isShort = purchases[index].claims.contains { $0.kind == .short && $0.amount > 0 }
    let isFreezing = purchases[index].isFreezing
    if isMore, purchases[index].freezes, !isFreezing {
      purchases[index].isFreezing = true
      frozen[owner, default: 0] += 2
    }
    if !isMore, !isShort, isFreezing {
      purchases[index].isFreezing = false
      frozen[owner] = max((frozen[owner] ?? 0) - 2, (frozen[owner] ?? 0) & 1)
    }
    purchases[index].freezes = false
  }

  // MARK: Merges

  mutating func decideMerge(_ command: Command, from: String) throws -> Answer {
    let (hasFrom, hasInto) = (isKnown(from), isKnown(command.customer))
    guard hasFrom || hasInto else { throw Refusal(code: "customer_not_found") }
    // The key belongs to the surviving customer.
    var named = command
    if !hasInto { named.customer = from }
    let answer = try once(named) { (model) throws in
      if hasFrom, hasInto {
        guard model.person(from) != model.person(command.customer) else { throw Refusal(code: "same_customer") }
        return model.merge(model.person(from), into: model.person(command.customer))
      }
      return model.addID(hasFrom ? command.customer : from, to: hasFrom ? from : command.customer)
    }
    return answer.named(command.customer)
  }

  mutating func decideAlias(_ command: Command, _ id: String) throws -> Answer {
    guard isKnown(command.customer) else { throw Refusal(code: "customer_not_found") }
    guard isKnown(id) else { return addID(id, to: command.customer).named(command.customer) }
    guard person(id) != person(command.customer) else {
      return .booked(kind: .merge, customer: command.customer, entries: [], items: [], replayed: true)
    }
    return merge(person(id), into: person(command.customer)).named(command.customer)
  }

  private mutating func addID(_ id: String, to customer: String) -> Answer {
    transactionCount += 1
    persons[id] = person(customer)
    return .booked(kind: .merge, customer: customer, entries: [], items: [], replayed: false)
  }

  private mutating func merge(_ from: String, into: String) -> Answer {
    let codes = Self.maxima.keys.sorted().filter { code in
      debt(from, code) > 0 || lots.contains { $0.customer == from && $0.currency == code && $0.remaining > 0 }
    }
    for code in codes {
      bookExpiry(from, code)
      bookExpiry(into, code)
    }
    transactionCount += 1
    var entries: [Entry] = []
    for code in codes {
      if let entry = moveLots(from, into, code) { entries.append(entry) }
      if let entry = moveDebt(from, into, code) { entries.append(entry) }
    }
    var items: [(String, Int64)] = []
    for (key, quantity) in owned.sorted(by: { $0.key < $1.key }) where key.hasPrefix(from + "/") && quantity > 0 {
      owned[key] = 0
      items.append((String(key.dropFirst(from.count + 1)), quantity))
    }
    parts[from] = into
    let (one, other) = (frozen[from] ?? 0, frozen[into] ?? 0)
    frozen[from] = 0
    frozen[into] = one / 2 * 2 + other / 2 * 2 + max(one % 2, other % 2)
    let booked = Answer.booked(kind: .merge, customer: into, entries: entries, items: [], replayed: false)
    return add(items, to: booked, into)
  }

  private mutating func moveLots(_ from: String, _ into: String, _ code: String) -> Entry? {
    let own = lots.indices.filter { lots[$0].customer == from && lots[$0].currency == code && lots[$0].remaining > 0 }
    // The oldest pooled lot lies in the account itself and goes first.
    let pool = lots.indices.first { lots[$0].customer == from && lots[$0].currency == code && lots[$0].isPooled }
    let ordered = own.filter { $0 == pool } + own.filter { $0 != pool }
    guard !ordered.isEmpty else { return nil }
    let out = ordered.map { Taken(source: lots[$0].source, amount: -lots[$0].remaining) }
    var taken: [Taken] = []
    for index in ordered {
      let amount = lots[index].remaining
      taken.append(Taken(source: lots[index].source, amount: amount))
      if lots[index].isPooled {
        lots[index].remaining = 0
        _ = position(amount, into, code, lots[index].source, expiresAt: nil)
      } else {
        lots[index].customer = into
      }
    }
    _ = enter(.merge, from, code, out)
    let repaid = min(debt(into, code), taken.reduce(0) { $0 + $1.amount })
    return enter(.merge, into, code, taken + burn(repaid, into, code), debtChange: -repaid)
  }

  private mutating func moveDebt(_ from: String, _ into: String, _ code: String) -> Entry? {
    let debt = debts[from + "/" + code] ?? 0
    guard debt > 0 else { return nil }
    _ = enter(.merge, from, code, [], debtChange: -debt)
    let repaid = min(debt, balance(into, code))
    return enter(.merge, into, code, burn(repaid, into, code), debtChange: debt - repaid)
  }
}

extension ModelLedger.Purchase {
  /// Adds a claim; the earlier amount of the same lot counts as given now.
  mutating func add(_ claim: ModelLedger.Claim) {
    var claim = claim
    if let known = claims.firstIndex(where: {
      $0.lot == claim.lot && $0.kind == claim.kind && $0.source == claim.source
    }) {
      claim.amount += claims.remove(at: known).amount
    }
    claims.append(claim)
  }

  func claimsToUndo(of lot: Int) -> [ModelLedger.Claim] {
    let own = claims.filter { $0.lot == lot && $0.amount > 0 }
    return own.filter { $0.kind == .short } + own.filter { $0.kind == .owed }
      + own.filter { $0.kind == .taken && $0.source != lot }.reversed()
      + own.filter { $0.kind == .taken && $0.source == lot }
  }

  /// Undoes the newest of such claims first; they are alike, so that only the sum matters.
  mutating func undo(_ amount: Int64, of claim: ModelLedger.Claim) {
    guard
      let index = claims.lastIndex(where: {
        $0.lot == claim.lot && $0.kind == claim.kind && $0.source == claim.source && $0.amount == claim.amount
      })
    else { return }
    claims[index].amount -= amount
  }
}

extension ModelLedger.Notice {
  /// Which of two notices of one date counts as the newer.
  var rank: Int { isRefund ? 1 : revokedAt == nil ? 3 : 2 }
}

extension ModelLedger.Answer {
  func named(_ customer: String) -> Self {
    guard case .booked(let kind, _, let entries, let items, let replayed) = self else { return self }
    return .booked(kind: kind, customer: customer, entries: entries, items: items, replayed: replayed)
  }

  var isReplayed: Bool {
    switch self {
    case .booked(_, _, _, _, let replayed), .refused(_, let replayed): replayed
    }
  }
}
