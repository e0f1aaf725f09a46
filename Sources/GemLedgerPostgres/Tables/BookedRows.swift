#if PostgreSQL
  internal import GemLedger

  /// What a group fetched of transactions that were booked before: those that its commands undo, the holds that they
  /// are about, and what hangs on either.
  ///
  /// What is not here though it was asked for is not in the database either.
  struct BookedRows {
    typealias Place = CustomerDirectory.Place

    /// Whose the transactions are that rows were asked of.
    private(set) var places: [TransactionNumber: Place] = [:]
    /// Of those, the ones of which only what they moved is asked: no holds, effects or terms.
    private var postings: Set<TransactionNumber> = []
    /// Numbers that nothing was booked under.
    var unknown: Set<TransactionNumber> = []
    /// Lots that are wanted whatever rows name them, and whose they are.
    private var wantedLots: [LotNumber: Place] = [:]
    /// The keys under which customers whose rows are wanted asked for something.
    private(set) var keys: [Place: Set<IdempotencyKey>] = [:]
    /// Who became part of whom, of those that were looked at.
    var merged: [CustomerNumber: [CustomerNumber]] = [:]

    private(set) var transactions: [TransactionNumber: TransactionRow] = [:]
    // Sets: a distributed engine, asked for some transactions of some customers, gives rows of others of them again.
    private var entries: [TransactionNumber: Set<EntryRow>] = [:]
    private var allocations: [TransactionNumber: Set<AllocationRow>] = [:]
    private var items: [TransactionNumber: Set<ItemEntryRow>] = [:]
    private var own: [TransactionNumber: Set<EffectRow>] = [:]
    private var about: [TransactionNumber: Set<EffectRow>] = [:]
    private(set) var holds: [TransactionNumber: HoldRow] = [:]
    private(set) var lots: [LotNumber: LotRow] = [:]
    private(set) var terms: [LotNumber: LotTermsRow] = [:]
    private(set) var purchases: [Int64: PurchaseRow] = [:]

    /// Of whom rows of the transactions, and the lots and terms that those name, were asked.
    var asked: Set<RowPlace> = []
    var askedPostings: Set<RowPlace> = []
    var askedLots: Set<RowPlace> = []
    var askedTerms: Set<RowPlace> = []
    var askedPurchases: Set<Int64> = []
    /// Purchases that were asked of those who have the lots, and of nobody else yet.
    var askedNear: Set<Int64> = []

    // MARK: What is wanted

    mutating func want(_ number: TransactionNumber, at place: Place, keys asked: Set<IdempotencyKey> = []) {
      places[number] = place
      postings.remove(number)
      want(asked, at: place)
    }

    private mutating func want(_ asked: Set<IdempotencyKey>, at place: Place) {
      if !asked.isEmpty { keys[place, default: []].formUnion(asked) }
    }

    /// Wants what the transaction moved, and nothing that came about it since.
    mutating func wantPostings(of number: TransactionNumber, at place: Place, keys asked: Set<IdempotencyKey>) {
      if places[number] == nil || postings.contains(number) {
        places[number] = place
        postings.insert(number)
      }
      want(asked, at: place)
    }

    mutating func want(lot number: LotNumber, at place: Place, keys asked: Set<IdempotencyKey>) {
      wantedLots[number] = place
      want(asked, at: place)
    }

    /// All of whom rows are wanted.
    var customers: Set<CustomerNumber> {
      var customers: Set<CustomerNumber> = []
      for place in places.values { customers.formUnion([place.origin, place.root]) }
      for place in wantedLots.values { customers.formUnion([place.origin, place.root]) }
      return customers
    }

    var isEmpty: Bool { places.isEmpty && wantedLots.isEmpty }

    /// All numbers of the customers who may have rows of the transaction, as far as they are known.
    func owners(of place: Place) -> Set<CustomerNumber> {
      Set([place.origin, place.root] + (merged[place.root] ?? []))
    }

    /// Of whom rows are still to be asked.
    var missing: Set<RowPlace> {
      var missing: Set<RowPlace> = []
      for (number, place) in places where !postings.contains(number) {
        for owner in owners(of: place) { missing.insert(RowPlace(number, of: owner)) }
      }
      return missing.subtracting(asked)
    }

    var missingPostings: Set<RowPlace> {
      Set(postings.compactMap { number in places[number].map { RowPlace(number, of: $0.origin) } })
        .subtracting(askedPostings)
    }

    /// Whose own part others may have become, which nobody looked at.
    var missingMerges: Set<CustomerNumber> {
      Set(places.values.map(\.root)).union(wantedLots.values.map(\.root)).subtracting(merged.keys)
    }

    /// Transactions that undid a part of another before: how much that was is to be known.
    func wantedByEffects() -> [(TransactionNumber, Place)] {
      about.flatMap { target, effects in
        effects.compactMap { effect in
          guard effect.kind == .reversal, places[effect.transaction] == nil, let place = places[target] else {
            return nil
          }
          return (effect.transaction, place)
        }
      }
    }

    struct NamedLot {
      let lot: LotNumber
      /// By whose number the rows lie that name it.
      let namer: CustomerNumber
      /// All who may have it now.
      let place: Place
      let wantsTerms: Bool
    }

    /// The lots that rows name.
    func namedLots() -> [NamedLot] {
      var named = wantedLots.map { NamedLot(lot: $0, namer: $1.origin, place: $1, wantsTerms: false) }
      for (number, place) in places {
        let wantsTerms = !postings.contains(number)
        func name(_ lot: LotNumber, _ namer: CustomerNumber) {
          named.append(NamedLot(lot: lot, namer: namer, place: place, wantsTerms: wantsTerms))
        }
        var customers: [EntryNumber: CustomerNumber] = [:]
        for entry in entries[number] ?? [] {
          customers[entry.number] = entry.account.customer
          if entry.lot != 0 { name(entry.lot, entry.account.customer) }
        }
        for row in allocations[number] ?? [] { name(row.lot, customers[row.entry] ?? place.origin) }
        for effect in about[number] ?? [] where effect.lot != 0 { name(effect.lot, effect.customer) }
      }
      return named
    }

    /// Purchases that lots name, and which are not there.
    ///
    /// - Returns: Those to be asked of whoever has the lots, and those to be asked of everybody. A distributed engine
    ///   asks every machine for the latter, so they wait until the former were looked for.
    func missingPurchases(isDistributed: Bool) -> (near: Set<RowPlace>, far: Set<Int64>) {
      var (near, far): (Set<RowPlace>, Set<Int64>) = ([], [])
      for lot in lots.values {
        guard let purchase = lot.purchase, purchases[purchase] == nil, !askedPurchases.contains(purchase) else {
          continue
        }
        if isDistributed, !askedNear.contains(purchase) {
          near.insert(RowPlace(purchase, of: lot.account.customer))
        } else {
          far.insert(purchase)
        }
      }
      return (near, far)
    }

    // MARK: What is there

    /// Whether rows of the transaction were asked of all who may have them.
    func knows(_ number: TransactionNumber) -> Bool {
      places[number] != nil && !postings.contains(number) || unknown.contains(number)
    }

    func knowsPostings(of number: TransactionNumber) -> Bool { places[number] != nil || unknown.contains(number) }

    func knows(lot: LotNumber, of owner: CustomerNumber) -> Bool {
      lots[lot] != nil || askedLots.contains(RowPlace(lot, of: owner))
    }

    func knows(termsOf lot: LotNumber, of owner: CustomerNumber) -> Bool {
      terms[lot] != nil || askedTerms.contains(RowPlace(lot, of: owner))
    }

    func knows(purchase number: Int64) -> Bool { purchases[number] != nil || askedPurchases.contains(number) }

    func parts(of number: TransactionNumber) -> TransactionParts? {
      guard let row = transactions[number] else { return nil }
      let entries = (entries[number] ?? []).sorted { $0.number < $1.number }
      let allocations = (allocations[number] ?? []).sorted { ($0.entry, $0.position) < ($1.entry, $1.position) }
      let items = (items[number] ?? []).sorted { $0.item < $1.item }
      var sources: [LotNumber: LotSource] = [:]
      for lot in entries.map(\.lot) + allocations.map(\.lot) { sources[lot] = terms[lot]?.source }
      return TransactionParts(row: row, entries: entries, allocations: allocations, items: items, sources: sources)
    }

    func effects(of number: TransactionNumber) -> [EffectRow] {
      (own[number] ?? []).sorted { $0.position < $1.position }
    }

    func effects(about number: TransactionNumber) -> [EffectRow] {
      (about[number] ?? []).sorted { ($0.transaction, $0.position) < ($1.transaction, $1.position) }
    }

    mutating func add(_ row: TransactionRow) { transactions[row.number] = row }
    mutating func add(_ row: EntryRow) { entries[row.transaction, default: []].insert(row) }
    mutating func add(_ row: AllocationRow) {
      allocations[Numbering.transaction(of: row.entry), default: []].insert(row)
    }
    mutating func add(_ row: ItemEntryRow) { items[row.transaction, default: []].insert(row) }
    mutating func add(own row: EffectRow) { own[row.transaction, default: []].insert(row) }
    mutating func add(about row: EffectRow) {
      // One of another customer may be linked to it.
      guard asked.contains(RowPlace(row.target, of: row.customer)) else { return }
      about[row.target, default: []].insert(row)
    }
    mutating func add(_ row: HoldRow) { holds[row.number] = row }
    mutating func add(_ row: LotRow) { lots[row.number] = row }
    mutating func add(_ row: LotTermsRow) { terms[row.lot] = row }
    mutating func add(_ row: PurchaseRow) { purchases[row.number] = row }
  }
#endif
