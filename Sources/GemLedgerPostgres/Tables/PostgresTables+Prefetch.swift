#if PostgreSQL
  internal import GemLedger
  internal import Synchronization

  // A group's beginning: one round trip takes hold of its lanes and brings the customers, their accounts and the first
  // of their lots. Store transactions are claimed with it. Only what touches more than one customer asks a second time.

  extension PostgresTables {
    func prefetch(_ commands: [LedgerCommand]) throws(LedgerError) -> [Int] {
      guard let group else { return [] }
      let footprints = commands.map(\.footprint)
      let ids = Self.ids(of: commands, footprints)
      let known = memory.directory.places(of: ids)
      let unknown = zip(ids, known).filter { $1 == nil }.map(\.0)
      let claims = try claims(of: footprints)
      let strangers = wantBooked(by: commands, footprints)
      let roots = Set(known.compactMap { $0?.root }).union(customersOfBooked())
        .subtracting(prefetched?.fetched ?? []).sorted()
      let customers = question(for: roots)
      var requests = customers.requests
      if !unknown.isEmpty {
        requests.append(
          PostgresRequest("SELECT id, customer FROM aliases WHERE id = ANY($1)") {
            $0.add(unknown, text: \.text)
          })
      }
      let keys = keys(of: commands, Dictionary(zip(ids, known.map { $0?.root })) { first, _ in first })
      requests += keys.map(question)
      let locating = Self.locating(strangers, isDistributed: layout.isDistributed)
      let claimed = claimQuestions(claims, of: footprints)
      let booked = claimed + bookedQuestions() + countQuestions(footprints, of: roots)
      var answers = try ask(requests + locating + booked.flatMap(\.requests))[...]
      keep(customers, &answers)
      for (id, place) in zip(ids, known) where place != nil { prefetched?.places[id] = place }
      let late = unknown.isEmpty ? nil : answers.removeFirst()
      for asked in keys { try keep(keys: asked, answers.removeFirst()) }
      let located = locating.flatMap { _ in Self.located(answers.removeFirst()) }
      try keep(booked, &answers)
      if let late { try keepUnknown(unknown, late, commands) }
      try keepDoubtful(commands)
      if footprints.contains(where: { $0?.transactions.isEmpty == false }) {
        wantLocated(located, by: commands, footprints)
        try completeBooked()
      }
      try fetchRefunded(commands, footprints)
      return try misrouted(commands, footprints, lanes: group.lanes)
    }

    // MARK: Customers

    private static func ids(of commands: [LedgerCommand], _ footprints: [LedgerCommand.Footprint?]) -> [CustomerID] {
      var ids: Set<CustomerID> = []
      for (command, footprint) in zip(commands, footprints) {
        if footprint?.subject.isNamed ?? true { ids.insert(command.customer) }
        for id in footprint?.customers ?? [] { ids.insert(id) }
      }
      return Array(ids)
    }

    /// A question for customers with all that the common commands ask of them.
    struct CustomersQuestion {
      let roots: [CustomerNumber]
      /// Whether the first of their lots come with it: a question each, behind the customers' own.
      let hasLots: Bool
      let requests: [PostgresRequest]
    }

    func question(for roots: [CustomerNumber], withLots: Bool = true) -> CustomersQuestion {
      let hasLots = withLots && memory.lotDemand.load(ordering: .relaxed) > 0
      let requests = ofOneShard(roots).flatMap { roots in
        [PostgresRequest(Self.customersWithAccounts(isDistributed: layout.isDistributed)) { $0.add(roots) { $0 } }]
          + (hasLots ? [PostgresRequest(Self.firstLots) { $0.add(roots) { $0 } }] : [])
      }
      return CustomersQuestion(roots: roots, hasLots: hasLots, requests: requests)
    }

    /// A distributed engine joins tables row by row within a shard only.
    private func ofOneShard(_ customers: [CustomerNumber]) -> [[CustomerNumber]] {
      if customers.isEmpty { return [] }
      guard layout.isDistributed else { return [customers] }
      return Dictionary(grouping: customers, by: layout.lane(of:)).values.map { $0.sorted() }
    }

    /// Fetches first pages of lots that the group's beginning left out, as it does in ledgers without such lots.
    func fetchFirstLots() throws(LedgerError) {
      guard let missing = prefetched?.unfetchedLots, !missing.isEmpty else { return }
      prefetched?.unfetchedLots = []
      let requests = ofOneShard(missing.sorted()).map { owners in
        PostgresRequest(Self.firstLots) { $0.add(owners) { $0 } }
      }
      for lots in try ask(requests) { keep(lots: lots) }
    }

    /// A distributed engine wants to hear of each table which shard it is; a single server would look each row up in
    /// the list once more.
    private static func customersWithAccounts(isDistributed: Bool) -> String {
      """
      SELECT c.customer, id, created_at, frozen, frozen_reason, merged_into, merged_count, erased_by, a.*
      FROM customers c LEFT JOIN (
        SELECT \(accountColumns) FROM accounts\(isDistributed ? " WHERE customer = ANY($1)" : "")
      ) a ON a.customer = c.customer
      WHERE c.customer = ANY($1)
      """
    }

    // Of each account with open lots the first page of either class; an account without any costs a look at its row.
    private static let firstLots = """
      SELECT l.* FROM accounts a CROSS JOIN LATERAL (
        (SELECT \(lotColumns) FROM lots
          WHERE a.open_lots > 0 AND customer = a.customer AND customer = ANY($1) AND currency = a.currency
            AND (source = 1) = false AND remaining > 0
          ORDER BY expires_at, lot LIMIT \(Prefetched.lotsPerPage))
        UNION ALL
        (SELECT \(lotColumns) FROM lots
          WHERE a.open_lots > 0 AND customer = a.customer AND customer = ANY($1) AND currency = a.currency
            AND (source = 1) = true AND remaining > 0
          ORDER BY expires_at, lot LIMIT \(Prefetched.lotsPerPage))
      ) l WHERE a.customer = ANY($1)
      """

    func keep(_ question: CustomersQuestion, _ answers: inout ArraySlice<PostgresRows>) {
      guard !question.requests.isEmpty else { return }
      prefetched?.fetched.formUnion(question.roots)
      var holders: Set<CustomerNumber> = []
      var left = question.requests.count
      while left > 0 {
        keep(customers: answers.removeFirst(), &holders)
        if question.hasLots { keep(lots: answers.removeFirst()) }
        left -= question.hasLots ? 2 : 1
      }
      if !question.hasLots { prefetched?.unfetchedLots.formUnion(holders) }
      if !holders.isEmpty {
        memory.lotDemand.store(StorageMemory.lotDemandMax, ordering: .relaxed)
      } else if question.hasLots {
        memory.lotDemand.subtract(1, ordering: .relaxed)
      }
    }

    /// - Parameter holders: Gets those with open lots.
    private func keep(customers: PostgresRows, _ holders: inout Set<CustomerNumber>) {
      for row in 0..<customers.count {
        let customer = Self.customer(customers, row)
        prefetched?.customers[customer.number] = customer
        if customers.integer(row, 7) != 0 { prefetched?.erased.insert(customer.number) }
        // Who has no account has nulls in its place.
        guard !customers.isNull(row, 8) else { continue }
        let account = Self.account(customers, row, at: 8)
        prefetched?.accounts[account.number] = account
        if account.openLots > 0 { holders.insert(customer.number) }
      }
    }

    private func keep(lots: PostgresRows) {
      for row in 0..<lots.count {
        let lot = Self.lot(lots, row)
        prefetched?.openLots[Prefetched.LotStream(account: lot.account, paid: lot.isPaid), default: []].append(lot)
        prefetched?.lotOwners[lot.number] = lot.account.customer
      }
    }

    private func fetch(
      _ numbers: [CustomerNumber], with questions: [[Prefetched.KeyPlace]] = []
    ) throws(LedgerError) {
      let missing = Set(numbers).filter { prefetched?.fetched.contains($0) == false }.sorted()
      guard !missing.isEmpty else { return }
      let customers = question(for: missing)
      var answers = try ask(customers.requests + questions.map(question))[...]
      keep(customers, &answers)
      for (asked, rows) in zip(questions, answers) { try keep(keys: asked, rows) }
    }

    /// Ids that were unknown when the commands found their lanes: nobody's, or new since.
    ///
    /// Over one lane nobody looks for lanes, and each id comes here once.
    private func keepUnknown(
      _ ids: [CustomerID], _ rows: PostgresRows, _ commands: [LedgerCommand]
    ) throws(LedgerError) {
      var origins: [CustomerID: CustomerNumber] = [:]
      for row in 0..<rows.count { origins[CustomerID(unchecked: rows.text(row, 0))] = rows.integer(row, 1) }
      try fetch(Array(origins.values), with: keys(of: commands, origins.mapValues { $0 }))
      for id in ids {
        guard let origin = origins[id] else {
          prefetched?.places[id] = .some(nil)
          continue
        }
        let root = prefetched?.customers[origin]?.mergedInto ?? 0
        let place = CustomerDirectory.Place(origin: origin, root: root == 0 ? origin : root)
        prefetched?.places[id] = place
        memory.directory.remember([(id, place)])
      }
      try fetch(prefetched?.places.values.compactMap { $0?.root } ?? [])
    }

    /// Ids that are remembered as those of somebody who was erased since, or who is not there: nobody's, or somebody
    /// else's.
    private func keepDoubtful(_ commands: [LedgerCommand]) throws(LedgerError) {
      guard let prefetched, !prefetched.erased.isEmpty || prefetched.customers.count != prefetched.fetched.count else {
        return
      }
      let ids =
        prefetched.places.compactMap { id, place in
          guard let place else { return nil }
          guard let row = prefetched.customers[place.root] else { return id }
          return prefetched.erased.contains(place.root) && row.id != id ? id : nil
        } as [CustomerID]
      guard !ids.isEmpty else { return }
      for id in ids { memory.directory.forget(id) }
      let rows = try rows("SELECT id, customer FROM aliases WHERE id = ANY($1)") { $0.add(ids, text: \.text) }
      try keepUnknown(ids, rows, commands)
      // An id whose customer is missing is damage, which its own command comes upon, and no other lane's customer.
      for case (let id, .some(let place)) in self.prefetched?.places ?? [:]
      where self.prefetched?.customers[place.root] == nil {
        memory.directory.forget(id)
        self.prefetched?.places.removeValue(forKey: id)
      }
    }

    // MARK: Keys

    /// How many keys one question to a distributed engine covers; as many of one customer's as there are go into one.
    ///
    /// It looks each of the question's customers up with each of its keys.
    private static let keysPerQuestion = 6

    private func keys(
      of commands: [LedgerCommand], _ roots: [CustomerID: CustomerNumber?]
    ) -> [[Prefetched.KeyPlace]] {
      var places: Set<Prefetched.KeyPlace> = []
      for command in commands {
        guard let key = command.key, let root = roots[command.customer], let root else { continue }
        places.insert(Prefetched.KeyPlace(customer: root, key: key))
      }
      return grouped(Array(places))
    }

    /// As many as one question covers.
    func grouped(_ places: [Prefetched.KeyPlace]) -> [[Prefetched.KeyPlace]] {
      guard layout.isDistributed else { return places.isEmpty ? [] : [places] }
      var questions: [[Prefetched.KeyPlace]] = []
      for place in places.sorted(by: { $0.customer < $1.customer }) {
        if let last = questions.last, last.count < Self.keysPerQuestion || last.first?.customer == place.customer {
          questions[questions.count - 1].append(place)
        } else {
          questions.append([place])
        }
      }
      return questions
    }

    func question(_ places: [Prefetched.KeyPlace]) -> PostgresRequest {
      guard layout.isDistributed else { return Self.oneStepEach(places) }
      return PostgresRequest(
        """
        SELECT customer, key, request_digest, qualifier_digest, transaction_number, refusal FROM keys
        WHERE customer = ANY($1) AND key = ANY($2)
        """
      ) {
        let customers = Set(places.map(\.customer)).sorted()
        $0.add(customers, { $0 })
        $0.add(places, bytes: { PostgresKey.append($0.key, to: &$1) })
      }
    }

    /// A distributed engine joins no lists with its tables; a single server is fastest so.
    ///
    /// The offset keeps it from walking through all keys instead, which it would while there are few, and go on doing
    /// when there are many.
    private static func oneStepEach(_ places: [Prefetched.KeyPlace]) -> PostgresRequest {
      PostgresRequest(
        """
        SELECT found.* FROM (SELECT unnest($1) AS owner, unnest($2) AS wanted) places CROSS JOIN LATERAL (
          SELECT customer, key, request_digest, qualifier_digest, transaction_number, refusal FROM keys
          WHERE customer = owner AND key = wanted OFFSET 0
        ) found
        """
      ) {
        $0.add(places, \.customer)
        $0.add(places, bytes: { PostgresKey.append($0.key, to: &$1) })
      }
    }

    private func keep(keys asked: [Prefetched.KeyPlace], _ rows: PostgresRows) throws(LedgerError) {
      prefetched?.askedKeys.formUnion(asked)
      for row in 0..<rows.count { try prefetched?.keep(key: rows, row, place) }
    }

    // MARK: Whose turn it is

    /// The commands whose lanes are other ones by now.
    private func misrouted(
      _ commands: [LedgerCommand], _ footprints: [LedgerCommand.Footprint?], lanes: [Int]
    ) throws(LedgerError) -> [Int] {
      var misrouted: [Int] = []
      for index in commands.indices where try !belongs(commands[index], footprints[index], lanes) {
        misrouted.append(index)
      }
      return misrouted
    }

    private func belongs(
      _ command: LedgerCommand, _ footprint: LedgerCommand.Footprint?, _ lanes: [Int]
    ) throws(LedgerError) -> Bool {
      if footprint?.subject.isNamed ?? true, !belongs(command.customer, lanes) { return false }
      guard let footprint else { return true }
      for number in footprint.transactions {
        guard let place = prefetched?.booked.places[number] else { continue }
        if !lanes.contains(layout.lane(of: place.root)) { return false }
      }
      for id in footprint.customers where !belongs(id, lanes) { return false }
      var others: [CustomerNumber] = []
      if footprint.subject.isOfPurchase {
        for claim in footprint.purchases { others += try holders(of: claim, footprint.subject) }
      }
      if let code = footprint.order, let order = try order(code) { others.append(order.customer) }
      for number in others {
        try fetch([number])
        let root = prefetched?.customers[number]?.mergedInto ?? 0
        if root != 0 { try fetch([root]) }
        if !lanes.contains(layout.lane(of: root == 0 ? number : root)) { return false }
      }
      return true
    }

    /// Whether who has the id is in one of the lanes, and is a customer still.
    private func belongs(_ id: CustomerID, _ lanes: [Int]) -> Bool {
      guard let known = prefetched?.places[id], let place = known else { return true }
      guard lanes.contains(layout.lane(of: place.root)) else { return false }
      guard let row = prefetched?.customers[place.root] else {
        memory.directory.forget(id)
        return false
      }
      guard row.mergedInto != 0 else { return true }
      memory.directory.remember([(id, CustomerDirectory.Place(origin: place.origin, root: row.mergedInto))])
      return false
    }

    /// Whom a purchase was credited to, and who has its entitlement where that matters.
    private func holders(
      of claim: LedgerCommand.PurchaseClaim, _ subject: LedgerCommand.Footprint.Subject
    ) throws(LedgerError) -> [CustomerNumber] {
      guard let held = storeClaim(claim), held.purchase != 0 else { return [] }
      guard subject == .holder, let holder = try entitlementHolder(purchase: held.purchase) else {
        return [held.customer]
      }
      return [held.customer, holder]
    }
  }
#endif
