internal import GemLedger
internal import GemLedgerAudit
internal import StoreBackend
internal import Synchronization

/// Records the backend's effects in the soak's books, even if the app gets no answer.
final class RecordingBackend: BackendDecorator {
  let local: LocalBackend
  private let receipts: [any SimulatedReceipts]
  private let books: Mutex<Books>
  private let ticket: CurrencyCode
  /// A planted bug: notices of refunds are received and dropped.
  private let losesRefunds: Bool

  var decorated: any PurchaseBackend { local }

  init(_ local: LocalBackend, receipts: [any SimulatedReceipts], ticket: CurrencyCode, losesRefunds: Bool) {
    self.local = local
    self.receipts = receipts
    self.ticket = ticket
    self.losesRefunds = losesRefunds
    books = Mutex(Books(ticket: ticket))
  }

  func read<T>(_ body: (inout Books) -> T) -> T { books.withLock { body(&$0) } }

  func register(_ customer: CustomerID) async throws(LedgerError) -> Registration {
    let answer = try await local.register(customer)
    read { $0.register(customer) }
    try findCredits()
    return answer
  }

  func logIn(_ id: CustomerID, from current: CustomerID) async throws(LedgerError) -> Registration {
    let answer = try await local.logIn(id, from: current)
    read { books in
      books.register(id)
      books.signIn(id, from: current)
    }
    try findCredits()
    return answer
  }

  func createAlias(_ alias: CustomerID, of customer: CustomerID) async throws(LedgerError) -> Registration {
    let answer = try await local.createAlias(alias, of: customer)
    read { books in
      books.register(customer)
      books.register(alias)
      books.unite(alias, customer)
    }
    try findCredits()
    return answer
  }

  func post(_ post: ReceiptPost) async throws(LedgerError) -> ReceiptAnswer {
    try await recording(post) { () async throws(LedgerError) in try await local.post(post) }
  }

  func initPayment(_ request: OrderRequest) async throws(LedgerError) -> Order {
    let order = try await local.initPayment(request)
    read { $0.register(request.customer) }
    try findCredits()
    return order
  }

  func completePayment(_ code: PurchaseCode, post: ReceiptPost) async throws(LedgerError) -> ReceiptAnswer {
    try await recording(post) { () async throws(LedgerError) in try await local.completePayment(code, post: post) }
  }

  /// A notice of the store.
  func apply(_ transaction: StoreTransaction) async throws(LedgerError) -> NoticeAnswer {
    let time = read(\.time)
    read { $0.learn(transaction) }
    if losesRefunds, transaction.revocation != nil { return NoticeAnswer(outcome: .unchanged) }
    let answer = try await local.apply(transaction)
    if answer.outcome == .credited, let receipt = answer.booking {
      read { $0.credited(transaction.creditID, postedFor: receipt.customer, at: time, isReplayed: receipt.isReplayed) }
    }
    return answer
  }

  func restore(
    _ receipts: [StoreReceipt], customer: CustomerID, sharing: EntitlementSharing
  ) async throws(LedgerError) -> CustomerRecord {
    let time = read(\.time)
    let transactions = receipts.compactMap(transaction)
    var owners: [CustomerID?] = []
    for transaction in transactions { owners.append(try purchase(transaction)?.customer) }
    read { books in for transaction in transactions { books.learn(transaction) } }
    let answer = try await local.restore(receipts, customer: customer, sharing: sharing)
    for (transaction, owner) in zip(transactions, owners) {
      guard try purchase(transaction) != nil else { continue }
      read { books in
        books.register(customer)
        if owner == nil, books.credits[transaction.creditID] == nil {
          books.credited(transaction.creditID, postedFor: customer, at: time, isReplayed: false)
        }
        if let owner = owner ?? books.buyer(of: transaction) { books.restore(of: customer, ownedBy: owner) }
      }
    }
    return answer
  }

  func spend(
    _ amounts: [Adjustment], customer: CustomerID, key: IdempotencyKey
  ) async throws(LedgerError) -> Booking {
    let now = local.ledger.clock.now()
    do throws(LedgerError) {
      let receipt = try await local.spend(amounts, customer: customer, key: key)
      read { $0.spent(amounts, by: customer, key: key, isReplayed: receipt.isReplayed, at: now) }
      return receipt
    } catch {
      if error.code == .insufficientBalance, !error.isReplayed { checkRefusal(of: amounts, customer, now) }
      throw error
    }
  }

  /// Reports a refused spend of a customer with enough tickets.
  private func checkRefusal(of amounts: [Adjustment], _ customer: CustomerID, _ now: Timestamp) {
    read { books in
      for amount in amounts where amount.currency == ticket {
        let available = books.ticketsAvailable(to: customer, at: now)
        guard available >= amount.amount else { continue }
        books.complain("\(customer) has \(available) tickets, and may not spend \(amount.amount).")
      }
    }
  }

  private func recording(
    _ post: ReceiptPost, _ body: () async throws(LedgerError) -> ReceiptAnswer
  ) async throws(LedgerError) -> ReceiptAnswer {
    let time = read(\.time)
    let transaction = transaction(post.receipt)
    if let transaction { read { $0.learn(transaction) } }
    do throws(LedgerError) {
      let answer = try await body()
      let isReplayed = answer.booking.isReplayed
      read {
        $0.credited(answer.purchase.storeTransactionID, postedFor: post.customer, at: time, isReplayed: isReplayed)
      }
      return answer
    } catch {
      if error.code == .validationPending, let transaction { read { $0.held(transaction, postedFor: post.customer) } }
      throw error
    }
  }

  /// Notes the purchases that the backend has credited by itself.
  func findCredits() throws(LedgerError) {
    let time = read(\.time)
    for transaction in read(\.uncredited) {
      guard let purchase = try purchase(transaction) else { continue }
      read {
        $0.credited(transaction.creditID, postedFor: purchase.customer, at: time, isReplayed: false)
      }
    }
  }

  func purchase(_ transaction: StoreTransaction) throws(LedgerError) -> Purchase? {
    try local.ledger.purchase(
      store: transaction.store, environment: transaction.environment, transactionID: transaction.creditID)
  }

  private func transaction(_ receipt: StoreReceipt) -> StoreTransaction? {
    for form in receipts {
      do throws(LedgerError) { return try form.verify(receipt) } catch { continue }
    }
    return nil
  }
}
