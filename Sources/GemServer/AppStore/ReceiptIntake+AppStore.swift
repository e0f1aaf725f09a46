#if Server
internal import GemLedger
internal import StoreBackend
internal import StoreReceipts

extension ReceiptIntake {
  /// Credits evidence other than signed transactions.
  ///
  /// - Throws: As ``AppStoreReceipts/lookUp(_:hint:isPatient:in:)``; `receipt_unverified` with the check
  ///   `test_receipts` if this server refuses evidence of tests; then as `LocalBackend.post(_:)`.
  func answer(_ post: ReceiptPost, _ evidence: AppStoreEvidence) async throws(LedgerError) -> ReceiptAnswer {
    let appStore = project.appStore
    switch evidence {
    case .storeKit1(let receipt):
      var signed = post
      signed.receipt = try await appStore.lookUp(
        receipt, hint: transactionHint, app: packageName, isPatient: isRetry, in: project)
      // A receipt has several transactions; without an id it is unknown which of them the post concerns.
      signed.source = transactionHint == nil ? .restore : post.source
      return try await restoring(signed) { (post) throws(LedgerError) in try await credited(post) }
    case .xcode(let receipt):
      guard appStore.testSession != nil else { throw testReceiptsAreOff("a StoreKit test in Xcode") }
      return try await answer(post, receipt.transactions)
    case .testToken(let token):
      guard let session = appStore.testSession else { throw testReceiptsAreOff("the test store") }
      guard isOfTestStore else {
        throw testReceiptsAreOff("the test store, and the key is of another store: post it with a test_ key")
      }
      return try await project.backend.post(
        token.transaction(of: testProduct ?? "", session: session, in: project), of: post, order: order)
    }
  }

  /// Credits a signed transaction, and its order if the request names one.
  func credited(_ post: ReceiptPost) async throws(LedgerError) -> ReceiptAnswer {
    do throws(LedgerError) {
      guard let order else { return try await project.backend.post(post) }
      return try await project.backend.completePayment(order, post: post)
    } catch {
      guard error.code == .receiptUnverified, !error.isUndecided, XcodeReceipt.isClaimed(by: post.receipt.text) else {
        throw error
      }
      throw testReceiptsAreOff("a StoreKit test in Xcode")
    }
  }

  /// Does the work; for a restore it then credits the rest of the customer's history.
  func restoring(
    _ post: ReceiptPost, _ work: (ReceiptPost) async throws(LedgerError) -> ReceiptAnswer
  ) async throws(LedgerError) -> ReceiptAnswer {
    let answer: Result<ReceiptAnswer, LedgerError>
    do throws(LedgerError) { answer = .success(try await work(post)) } catch { answer = .failure(error) }
    if post.source == .restore, answer.letsHistoryFollow {
      await project.appStore.restore(post.receipt, for: post.customer, from: keyID, since: begin, in: project)
    }
    return try answer.get()
  }

  /// Credits all transactions of a receipt; the answer is about the named transaction, or else the newest.
  private func answer(_ post: ReceiptPost, _ transactions: [String]) async throws(LedgerError) -> ReceiptAnswer {
    let read = transactions.compactMap { text in
      project.appStore.transaction(in: StoreReceipt(text)).map { (text: text, transaction: $0) }
    }
    let newest = read.max { $0.transaction.purchasedAt < $1.transaction.purchasedAt }
    let named = read.first { $0.transaction.id.text.hasBytes(of: transactionHint ?? "") }
    guard let chosen = named ?? newest else {
      throw LedgerError(.purchaseNotFound, "The receipt has no transaction. It is kept, and looked at again.")
    }
    var one = post
    for other in read where other.transaction.id != chosen.transaction.id {
      one.receipt = StoreReceipt(other.text)
      do throws(LedgerError) { _ = try await project.backend.post(one) } catch {
        guard !error.code.meansNothingIsKnown else { throw error }
        // Held now, or refunded: the answer is about another transaction.
      }
    }
    one.receipt = StoreReceipt(chosen.text)
    return try await credited(one)
  }

  private func testReceiptsAreOff(_ what: String) -> LedgerError {
    let message =
      "The receipt is from \(what). This server keeps test receipts and does not credit them. To credit them, start a "
      + "server without real purchases with --test-receipts SESSION."
    project.appStore.say("test_receipts", message, in: project)
    return LedgerError(.receiptUnverified, message, details: [.text("check", "test_receipts")])
  }
}

extension Result<ReceiptAnswer, LedgerError> {
  /// Whether the posted transaction is genuine and its customer can be credited.
  fileprivate var letsHistoryFollow: Bool {
    switch self {
    case .success: true
    case .failure(let error):
      [.receiptRevoked, .validationPending, .amountMismatch, .amountOutOfRange].contains(error.code)
    }
  }
}
#endif
