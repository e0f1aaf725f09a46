#if Server
package import GemLedger
package import StoreBackend
internal import StoreReceipts
internal import Synchronization

/// What a server asks the App Store about posted evidence, and which test evidence it takes.
package final class AppStoreReceipts: Sendable {
  /// Most pages of one history, of twenty transactions each.
  static let pageCountMax = 500
  /// How long a transaction that was in a history asks for no other one, in milliseconds.
  private static let recentMilliseconds: Int64 = 60_000
  private static let recentCountMax = 10_000

  private let api: AppStoreServerAPI?
  private let verifier: any ReceiptVerifier
  /// The test session that evidence of tests is credited in; nil where none is taken.
  let testSession: String?
  private let wait: Duration
  private let log: @Sendable (_ message: String, _ facts: [String: JSONValue]) -> Void
  /// When a transaction was in a history that was credited, by customer and transaction.
  private let recent = Mutex<[String: Timestamp]>([:])
  private let hourly = HourlyLog()

  /// - Parameters:
  ///   - api: Asked about transactions; nil without a key.
  ///   - verifier: Verifies the answers, as it does posted receipts.
  ///   - testSession: The session that evidence of tests is credited in; nil to take none.
  ///   - wait: How long an answer to an app waits for the App Store.
  ///   - log: Told of what an operator has to mend, once an hour and reason.
  package init(
    api: AppStoreServerAPI?, verifier: any ReceiptVerifier, testSession: String? = nil,
    wait: Duration = ReceiptIntake.storeWait,
    log: @escaping @Sendable (_ message: String, _ facts: [String: JSONValue]) -> Void = { _, _ in }
  ) {
    self.api = api
    self.verifier = verifier
    self.testSession = testSession
    self.wait = wait
    self.log = log
  }

  /// Asks for nothing and takes no evidence of tests.
  package static var none: AppStoreReceipts {
    AppStoreReceipts(api: nil, verifier: StoreVerifiers(apple: nil, google: nil))
  }

  /// Writes a line unless one of this name was written in the same hour.
  func say(_ name: String, _ message: String, in project: ServerProject, _ facts: [String: JSONValue] = [:]) {
    guard hourly.isDue("\(project.id)/\(name)", at: project.clock.now()) else { return }
    log(message, facts.merging(["project": .string(project.id)]) { first, _ in first })
  }

  /// Signs promotional offers; nil without a key.
  var key: AppStoreServerKey? { api?.key }

  // MARK: Looking a transaction up

  /// Looks up the transaction of a receipt that proves nothing by itself.
  ///
  /// - Parameters:
  ///   - hint: The transaction as the post names it; without it the newest one of the receipt is looked up.
  ///   - app: The app as the post names it.
  ///   - isPatient: Whether nobody waits for the answer.
  /// - Returns: The transaction as the App Store signed it, verified.
  /// - Throws: `LedgerError` with `receipt_unverified` and the check `app_store_key` without a key,
  ///   `purchase_not_found`, `configuration`, `backend_unreachable`: the purchase may be good another time.
  func lookUp(
    _ receipt: StoreKit1Receipt, hint: String?, app: String?, isPatient: Bool, in project: ServerProject
  ) async throws(LedgerError) -> StoreReceipt {
    guard let api else { throw Self.withoutKey }
    guard let id = hint ?? receipt.transactionIDs.first else {
      throw LedgerError(.purchaseNotFound, "The receipt names no transaction. It is kept, and looked at again.")
    }
    let signed: StoreReceipt
    do throws(LedgerError) {
      let (id, bundleID) = (try StoreTransactionID(id), try bundleID(of: project, named: app))
      let asking = Task { () async -> Result<String, LedgerError> in
        do throws(LedgerError) { return .success(try await api.transaction(id, of: bundleID, in: nil)) } catch {
          return .failure(error)
        }
      }
      // Requests to a slow store may wait for each other before they begin.
      let answer = isPatient ? await asking.value : await asking.value(within: wait)
      guard let answer else { throw .appStoreIsLate }
      signed = StoreReceipt(try answer.get())
    } catch {
      tell(error, in: project)
      throw error
    }
    let transaction = try verified(signed)
    guard transaction.id.text.hasBytes(of: id) || transaction.originalID.text.hasBytes(of: id) else {
      throw .appStore("The App Store's answer is about another transaction. It is asked again.")
    }
    return signed
  }

  /// The transaction of a receipt; nil for one that does not verify.
  func transaction(in receipt: StoreReceipt) -> StoreTransaction? {
    do throws(LedgerError) { return try verifier.verify(receipt) } catch { return nil }
  }

  /// Verifies an answer of the App Store; one that does not verify proves nothing about the purchase.
  private func verified(_ signed: StoreReceipt) throws(LedgerError) -> StoreTransaction {
    do throws(LedgerError) { return try verifier.verify(signed) } catch {
      guard !error.isUndecided else { throw error }
      throw .appStore("The App Store's answer does not verify: \(error.message)")
    }
  }

  /// The app of the project at the App Store, which tokens are for.
  ///
  /// - Parameter name: The app as the request names it, which counts if the project has several and it is one of them.
  /// - Throws: `LedgerError` with `configuration`.
  func bundleID(of project: ServerProject, named name: String?) throws(LedgerError) -> String {
    let names = project.backend.policy.bundleIDs?.sorted() ?? []
    if let name = names.first(where: { $0.hasBytes(of: name ?? "") }) ?? names.first { return name }
    guard let name = try project.catalogs.current().catalog.settings.bundleID else {
      throw LedgerError(.configuration, "Name the app at the App Store: bundle_id in the catalog's settings.")
    }
    return name
  }

  private func tell(_ error: LedgerError, in project: ServerProject) {
    guard error.code == .backendUnreachable || error.code == .configuration else { return }
    say("\(error.code) \(error.text("check") ?? "")", error.message, in: project, ["code": .string("\(error.code)")])
  }

  /// The refusal without a key of the App Store.
  static var withoutKey: LedgerError {
    LedgerError(
      .receiptUnverified,
      "The App Store cannot be asked: the server has no in-app purchase key. Start it with --app-store-key; purchases "
        + "posted before are credited then.", details: [.text("check", "app_store_key")])
  }

  // MARK: Restoring a history

  /// Credits what the history of a customer of the store has beside a verified transaction.
  ///
  /// It returns once that is done, or after a short time; what is not done then goes on, and is tried again by the
  /// quarantine until it is, in other processes too.
  ///
  /// - Parameters:
  ///   - receipt: A signed transaction.
  ///   - customer: Who restores.
  ///   - keyID: Who posts, for the bounds of the quarantine.
  ///   - begin: When the request began, from which the short time counts.
  func restore(
    _ receipt: StoreReceipt, for customer: CustomerID, from keyID: String, since begin: ContinuousClock.Instant,
    in project: ServerProject
  ) async {
    guard let api else { return }
    do throws(LedgerError) {
      let transaction = try verifier.verify(receipt)
      guard transaction.store == .apple, api.knows(transaction.environment),
        !isRecent(transaction, customer, now: project.clock.now())
      else { return }
      var message = Quarantine.Message(.appleHistory, receipt.text)
      message.customer = customer.text
      _ = try project.quarantine.keep(message, from: keyID)
      let task = Task { [message] in await self.settle(message, in: project) }
      await task.value(within: wait - (ContinuousClock.now - begin))
    } catch {
      tell(error, in: project)
    }
  }

  private func settle(_ message: Quarantine.Message, in project: ServerProject) async {
    do throws(LedgerError) {
      try await creditHistory(message, in: project)
      try project.quarantine.settle(message)
    } catch {
      // It is kept, and tried again.
      tell(error, in: project)
    }
  }

  /// Credits the transactions of a history by the rules of posted receipts.
  ///
  /// A customer who owns one already keeps it. What was bought before the ledger began is in no book of it, and may
  /// have been given elsewhere: of that only what still lasts is credited.
  ///
  /// - Parameter message: A signed transaction with the customer who restores.
  /// - Throws: `LedgerError` where it may be tried again.
  func creditHistory(_ message: Quarantine.Message, in project: ServerProject) async throws(LedgerError) {
    guard let api else { throw Self.withoutKey }
    let customer = try CustomerID(message.customer)
    let known = try verifier.verify(StoreReceipt(message.text))
    let begin = try project.ledger.createdAt()
    var revision: String?
    for _ in 0..<Self.pageCountMax {
      let page = try await api.history(
        of: known.id, of: known.bundleID, in: known.environment, revision: revision)
      for text in page.transactions {
        let transaction: StoreTransaction
        do throws(LedgerError) { transaction = try verified(StoreReceipt(text)) } catch {
          say("unverified", error.message, in: project)
          continue
        }
        note(transaction, customer, now: project.clock.now())
        guard transaction.id != known.id, transaction.mayBeMissing(since: begin, now: project.clock.now()) else {
          continue
        }
        try await credit(text, to: customer, in: project)
      }
      guard page.hasMore else { return }
      guard let next = page.revision, next != revision else {
        throw .appStore("The App Store's answer has more transactions, and does not say where. It is asked again.")
      }
      revision = next
    }
    say(
      "long", "A purchase history at the App Store exceeds \(Self.pageCountMax) pages. Only these are credited.",
      in: project)
  }

  private func credit(_ text: String, to customer: CustomerID, in project: ServerProject) async throws(LedgerError) {
    let post = ReceiptPost(receipt: StoreReceipt(text), customer: customer, source: .restore, orderSearch: .find)
    do throws(LedgerError) { _ = try await project.backend.post(post) } catch {
      guard !error.code.meansNothingIsKnown else { throw error }
      // Held by now, or refunded; a customer who cannot be credited is an error of the next transaction too.
    }
  }

  // MARK: Recent histories

  private static func recentKey(_ transaction: StoreTransaction, _ customer: CustomerID) -> String {
    "\(transaction.environment)/\(transaction.environment.session ?? "")/\(transaction.id.text)/\(customer.text)"
  }

  private func note(_ transaction: StoreTransaction, _ customer: CustomerID, now: Timestamp) {
    recent.withLock { recent in
      if recent.count >= Self.recentCountMax {
        recent = recent.filter { now.milliseconds(since: $0.value) < Self.recentMilliseconds }
        if recent.count >= Self.recentCountMax { recent.removeAll() }
      }
      recent[Self.recentKey(transaction, customer)] = now
    }
  }

  /// Whether a history with the transaction was credited a moment ago: apps post all that they restore.
  private func isRecent(_ transaction: StoreTransaction, _ customer: CustomerID, now: Timestamp) -> Bool {
    let last = recent.withLock { $0[Self.recentKey(transaction, customer)] }
    return last.map { (0..<Self.recentMilliseconds).contains(now.milliseconds(since: $0)) } ?? false
  }
}

extension StoreTransaction {
  /// Whether a history's transaction is credited where it is missing.
  ///
  /// - Parameter begin: When the ledger began.
  fileprivate func mayBeMissing(since begin: Timestamp, now: Timestamp) -> Bool {
    if revocation != nil || purchasedAt >= begin || productType == .nonConsumable { return true }
    return productType == .autoRenewableSubscription && expiresAt.map { $0 > now } ?? false
  }
}

extension Ledger {
  /// When the ledger began.
  fileprivate func createdAt() throws(LedgerError) -> Timestamp {
    try reading { (snapshot, _) throws(LedgerError) in try snapshot.project().createdAt }
  }
}
#endif
