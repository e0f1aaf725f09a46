/// Books all due effects, customer by customer.
struct DueSweep {
  private static let customersPerPage = 500

  private let ledger: Ledger
  /// The first damage found; it does not hold up the other customers.
  private var damage: LedgerError?

  init(ledger: Ledger) { self.ledger = ledger }

  /// A cancelled task stops after a page of customers.
  ///
  /// - Parameter progress: Called with the number of customers checked.
  /// - Returns: The number of customers with due effects.
  /// - Throws: As ``Ledger/sweep(progress:)``.
  mutating func run(progress: (Int) -> Void) throws(LedgerError) -> Int {
    var (seen, booked) = (0, 0)
    var after: CustomerNumber? = 0
    while let start = after, !Task.isCancelled {
      let page = try page(after: start)
      guard page.end != nil else { break }
      for answer in ledger.submit(page.due.map(LedgerCommand.bookDue)) {
        guard case .failure(let error) = answer, error.code != .customerNotFound else { continue }
        guard error.code == .storageDamaged else { throw error }
        damage = damage ?? error
      }
      booked += page.due.count
      seen += page.count
      after = page.end
      progress(seen)
    }
    if let damage { throw damage }
    return booked
  }

  private mutating func page(
    after number: CustomerNumber
  ) throws(LedgerError) -> (due: [CustomerID], end: CustomerNumber?, count: Int) {
    try ledger.storage.read {
      (snapshot) throws(LedgerError) -> (due: [CustomerID], end: CustomerNumber?, count: Int) in
      let now = try ledger.clock.now(in: snapshot)
      let rows = try snapshot.customers(after: number, limit: Self.customersPerPage)
      let accounts = try accounts(of: rows.map(\.number), in: snapshot)
      var due = Set(
        accounts.filter { min($0.nextExpiry, $0.nextDue) <= now.milliseconds }.map(\.number.customer))
      due.formUnion(try given(to: rows, accounts, in: snapshot).subtracting(due))
      return (rows.filter { due.contains($0.number) }.map(\.id), rows.last?.number, rows.count)
    }
  }

  /// Reads all accounts of the customers, and skips unreadable accounts.
  private mutating func accounts(
    of customers: [CustomerNumber], in snapshot: any StorageSnapshot
  ) throws(LedgerError) -> [AccountRow] {
    do throws(LedgerError) {
      return try snapshot.accounts(of: customers)
    } catch {
      guard error.code == .storageDamaged else { throw error }
      damage = damage ?? error
    }
    var found: [AccountRow] = []
    for customer in customers {
      do throws(LedgerError) {
        found += try snapshot.accounts(of: customer)
      } catch {
        guard error.code == .storageDamaged else { throw error }
      }
    }
    return found
  }

  /// Finds the customers with a scheduled grant that is due and not booked.
  ///
  /// It ignores the due times in the accounts: a new version of the catalog may grant earlier.
  private mutating func given(
    to rows: [CustomerRow], _ accounts: [AccountRow], in snapshot: any StorageSnapshot
  ) throws(LedgerError) -> Set<CustomerNumber> {
    let definitions = try ledger.catalog.definitions(in: snapshot)
    let gives = Set(definitions.currencies.filter { $0.policies?.givesByItself == true }.map(\.number))
    guard !gives.isEmpty else { return [] }
    var found: Set<CustomerNumber> = []
    let candidates = Set(accounts.filter { gives.contains($0.number.currency) }.map(\.number.customer))
    for row in rows where candidates.contains(row.number) {
      do throws(LedgerError) {
        let customer = FoundCustomer(row, original: row.number)
        let moments = try ledger.moments(of: customer, in: snapshot, definitions: definitions)
        let isDue = moments.byCurrency.values.contains { $0.row.version > $0.recorded.version }
        if isDue { found.insert(row.number) }
      } catch {
        guard error.code == .storageDamaged else { throw error }
        damage = damage ?? error
      }
    }
    return found
  }
}
