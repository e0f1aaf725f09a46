#if Server
package import GemLedger
package import StoreBackend
internal import StoreReceipts
internal import Synchronization

/// Looks up posted evidence at the App Store, and credits test evidence if configured.
package final class AppStoreReceipts: Sendable {
  /// The maximum number of pages of a history, with twenty transactions each.
  static let pageCountMax = 500
  /// The time for which a transaction in a history causes no other history, in milliseconds.
  private static let recentMilliseconds: Int64 = 60_000
  private static let recentCountMax = 10_000

  private let api: AppStoreServerAPI?
  private let verifier: any ReceiptVerifier
  /// The test session that credits evidence of tests; nil to refuse such evidence.
  let testSession: String?
  private let wait: Duration
  private let log: @Sendable (_ message: String, _ facts: [String: JSONValue]) -> Void
  /// The times of the last credited history by customer and transaction.
  private let recent = Mutex<[String: Timestamp]>([:])
  private let hourly = HourlyLog()

  /// - Parameters:
  ///   - api: Looks up transactions; nil without a key.
  ///   - verifier: Verifies the answers in the same way as posted receipts.
  ///   - testSession: The session that credits evidence of tests; nil to refuse such evidence.
  ///   - wait: The time for which an answer to an app waits for the App Store.
  ///   - log: Receives problems that an operator must fix, once per hour and reason.
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

  /// An instance that looks up nothing and refuses evidence of tests.
  package static var none: AppStoreReceipts {
    AppStoreReceipts(api: nil, verifier: StoreVerifiers(apple: nil, google: nil))
  }

  /// Logs a line unless a line with this name was logged in the same hour.
  func say(_ name: String, _ message: String, in project: ServerProject, _ facts: [String: JSONValue] = [:]) {
    guard hourly.isDue("\(project.id)/\(name)", at: project.clock.now()) else { return }
    log(message, facts.merging(["project": .string(project.id)]) { first, _ in first })
  }

  /// The key that signs promotional offers; nil if there is no key.
  var key: AppStoreServerKey? { api?.key }

  // MARK: Looking a transaction up

  /// Looks up the transaction of a receipt that is no proof without a look-up.
  ///
  /// - Parameters:
  ///   - hint: The transaction that the post names; nil for the receipt's newest.
  ///   - app: The app that the post names.
  ///   - isPatient: Whether no client waits for the answer.
  /// - Returns: The transaction as signed by the App Store, verified.
  /// - Throws: `LedgerError` with `receipt_unverified` and the check `app_store_key` without a key;
  ///   `purchase_not_found`, `configuration` or `backend_unreachable` if the look-up may succeed later.
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

  /// Returns the transaction of a receipt; nil if the receipt does not verify.
  func transaction(in receipt: StoreReceipt) -> StoreTransaction? {
    do throws(LedgerError) { return try verifier.verify(receipt) } catch { return nil }
  }

  /// Verifies an answer of the App Store; an invalid answer proves nothing about the purchase.
  private func verified(_ signed: StoreReceipt) throws(LedgerError) -> StoreTransaction {
    do throws(LedgerError) { return try verifier.verify(signed) } catch {
      guard !error.isUndecided else { throw error }
      throw .appStore("The App Store's answer does not verify: \(error.message)")
    }
  }

  /// Returns the bundle id for tokens of the project at the App Store.
  ///
  /// - Parameter name: The app that the request names; used if it is one of the project's apps.
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

  /// The error without a key of the App Store.
  static var withoutKey: LedgerError {
    LedgerError(
      .receiptUnverified,
      "The App Store cannot be asked: the server has no in-app purchase key. Start it with --app-store-key; purchases "
        + "posted before are credited then.", details: [.text("check", "app_store_key")])
  }

  // MARK: Restoring a history

  /// Credits the history of the verified transaction's customer at the store.
  ///
  /// It returns when the history is credited, or after a short time. Unfinished work continues, and the quarantine
  /// tries it again until it is done, also in other processes.
  ///
  /// - Parameters:
  ///   - receipt: A signed transaction.
  ///   - customer: The customer who restores.
  ///   - keyID: The id of the posting key, for the limits of the quarantine.
  ///   - begin: The time of the request, with which the short time begins.
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
      // The quarantine keeps the message and tries it again.
      tell(error, in: project)
    }
  }

  /// Credits the transactions of a history by the rules of posted receipts.
  ///
  /// A purchase that a customer already owns stays with that customer. Purchases from before the ledger began may have
  /// been granted by another system, so only those that still last are credited.
  ///
  /// - Parameter message: A signed transaction with the customer who restores.
  /// - Throws: `LedgerError` if another try may succeed.
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
        throw .appStore("The App Store's answer has more transactions, but no link to them. It is asked again.")
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
      // Held now, or refunded; an error that concerns the customer recurs with the next transaction.
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

  /// Returns whether a recent history had the transaction: apps post all transactions that they restore.
  private func isRecent(_ transaction: StoreTransaction, _ customer: CustomerID, now: Timestamp) -> Bool {
    let last = recent.withLock { $0[Self.recentKey(transaction, customer)] }
    return last.map { (0..<Self.recentMilliseconds).contains(now.milliseconds(since: $0)) } ?? false
  }
}

extension StoreTransaction {
  /// Returns whether a transaction of a history is credited if it is missing.
  ///
  /// - Parameter begin: The time when the ledger began.
  fileprivate func mayBeMissing(since begin: Timestamp, now: Timestamp) -> Bool {
    if revocation != nil || purchasedAt >= begin || productType == .nonConsumable { return true }
    return productType == .autoRenewableSubscription && expiresAt.map { $0 > now } ?? false
  }
}

extension Ledger {
  /// Returns the time when the ledger began.
  fileprivate func createdAt() throws(LedgerError) -> Timestamp {
    try reading { (snapshot, _) throws(LedgerError) in try snapshot.project().createdAt }
  }
}
#endif
