internal import GemLedger
internal import StoreBackend

extension QueueEvent {
  /// Reads a record; nil for an unknown kind or shape.
  init?(record text: String) {
    do throws(LedgerError) {
      self = try Self.event(StoredJSON(text, named: "record"))
    } catch {
      return nil
    }
  }

  private static func event(_ record: StoredJSON) throws(LedgerError) -> QueueEvent {
    let what = try record["what"].text()
    switch what {
    case "identity": return .identity(try Identity(reading: record))
    case "order_opened": return .orderOpened(try OpenedOrder(reading: record))
    case "intended": return .intended(try PurchaseIntent(reading: record))
    case "intent_ended": return .intentEnded(try record["number"].integer())
    case "queued": return .queued(try QueuedReceipt(reading: record))
    case "kept": return .kept(try QueueItem(reading: record))
    case "provisional_spend": return .spentProvisionally(try ProvisionalSpend(reading: record))
    case "provisional_spend_ended":
      return .provisionalSpendEnded(try record["buyer"].identifier(), try record["spend"].identifier())
    case "balances": return .balances(try StoredBalances(reading: record))
    case "shop": return .shop(try record["products"].elements().map(KnownProduct.init(reading:)))
    default: break
    }
    let key = try ReceiptKey(reading: record)
    let revision = try record["revision"].optional?.text() ?? ""
    switch what {
    case "failed": return .failed(key, try FailedAttempt(reading: record), next: try record["next"].instant())
    case "credited": return .credited(key, revision: revision)
    case "finished": return .finished(key)
    case "dead_lettered": return .deadLettered(key, try FailedAttempt(reading: record), revision: revision)
    case "refund_posted": return .refundPosted(key, revision: revision)
    case "requeued": return .requeued(key, try record["at"].instant())
    case "provisional": return .provisional(key, try record["at"].instant())
    default: throw record["what"].refused(expected: "a kind of event", found: what)
    }
  }
}

extension JSONReader<StoredDocument> {
  /// The number, which a record of this platform has in this range.
  fileprivate func count() throws(LedgerError) -> Int { Int(clamping: try integer()) }

  fileprivate func price() throws(LedgerError) -> Money? {
    guard let minorUnits = try self["price"].optional?.integer() else { return nil }
    return Money(minorUnits: minorUnits, currency: try self["price_currency"].text())
  }

  fileprivate func grants() throws(LedgerError) -> [Adjustment] {
    try self["grants"].amounts().map { Adjustment($0.currency, $0.amount) }
  }

  fileprivate func failure() throws(LedgerError) -> ReceiptQueueItem.Failure? {
    guard let code = try self["code"].optional?.word(LedgerError.Code.init(_:)) else { return nil }
    return ReceiptQueueItem.Failure(
      code: code, message: try self["message"].text(), requestID: try self["request_id"].optional?.text())
  }
}

extension ReceiptKey {
  fileprivate init(reading record: StoredJSON) throws(LedgerError) {
    let kind = try record["environment"].word { name in
      StoreEnvironment.Kind.allCases.first { StoreEnvironment(kind: $0, session: nil).description == name }
    }
    self.init(
      store: try record["store"].word(Store.init(name:)),
      environment: StoreEnvironment(kind: kind, session: try record["session"].optional?.text()),
      id: try record["id"].identifier(), renewal: try record["renewal"].optional?.text())
  }
}

extension Identity {
  fileprivate init(reading record: StoredJSON) throws(LedgerError) {
    self.init(customer: try record["customer"].identifier(), allowsSharing: try record["allows_sharing"].bool())
  }
}

extension PurchaseIntent {
  fileprivate init(reading record: StoredJSON) throws(LedgerError) {
    self.init(
      number: try record["number"].integer(), buyer: try record["buyer"].identifier(),
      storeProductID: try record["product"].text(), quantity: try record["quantity"].integer(),
      startedAt: try record["at"].instant(), order: try record["order"].optional?.identifier(),
      key: try record["key"].optional?.identifier(), isDeferred: try record["deferred"].optional?.integer() == 1)
  }
}

extension OpenedOrder {
  fileprivate init(reading record: StoredJSON) throws(LedgerError) {
    self.init(
      buyer: try record["buyer"].identifier(), key: try record["key"].identifier(), claim: try record["claim"].text())
  }
}

extension QueuedReceipt {
  fileprivate convenience init(reading record: StoredJSON) throws(LedgerError) {
    self.init(
      key: try ReceiptKey(reading: record), buyer: try record["buyer"].identifier(),
      receipt: StoreReceipt(try record["receipt"].text()), signedAt: try record["signed_at"].instant(),
      revision: try record["revision"].optional?.text() ?? "", bundleID: try record["bundle"].text(),
      storeProductID: try record["store_product"].text(), product: try record["product"].optional?.identifier(),
      quantity: try record["quantity"].integer(), price: try record.price(), source: try record["source"].word(),
      order: try record["order"].optional?.identifier(), seenAt: try record["at"].instant(),
      grants: try record.grants(), isAnnounced: try record["announced"].flag())
  }
}

extension QueueItem {
  fileprivate init(reading record: StoredJSON) throws(LedgerError) {
    self.init(try QueuedReceipt(reading: record), number: 0)
    status = try record["status"].word()
    attemptCount = try record["attempts"].count()
    nextAttemptAt = try record["next"].instant()
    firstPostedAt = try record["first_posted_at"].optional?.instant()
    provisionalSince = try record["provisional_since"].optional?.instant()
    lastError = try record.failure()
  }
}

extension FailedAttempt {
  fileprivate init(reading record: StoredJSON) throws(LedgerError) {
    guard let failure = try record.failure() else { throw record["code"].refused(expected: "an error code") }
    self.init(
      failure: failure, count: try record["attempts"].count(), firstPostedAt: try record["first_posted_at"].instant())
  }
}

extension ProvisionalSpend {
  fileprivate init(reading record: StoredJSON) throws(LedgerError) {
    self.init(
      key: try record["spend"].identifier(), customer: try record["buyer"].identifier(),
      item: try record["item"].identifier(), quantity: try record["quantity"].integer(),
      price: try record["grants"].amounts(), spentAt: try record["at"].instant(),
      refusal: (try record.failure()).map { Refusal(code: $0.code, message: $0.message) })
  }
}

extension StoredBalances {
  fileprivate init(reading record: StoredJSON) throws(LedgerError) {
    self.init(
      customer: try record["customer"].identifier(), asOf: try record["at"].instant(),
      rows: try record["rows"].elements().map(Row.init(reading:)))
  }
}

extension StoredBalances.Row {
  fileprivate init(reading row: StoredJSON) throws(LedgerError) {
    self.init(
      code: try row["code"].text(), name: try row["name"].text(), description: try row["description"].optional?.text(),
      balance: try row["balance"].integer())
  }
}

extension KnownProduct {
  fileprivate init(reading product: StoredJSON) throws(LedgerError) {
    self.init(
      code: try product["code"].identifier(), storeID: try product["store_id"].text(),
      type: ProductType(try product["type"].word() as ProductType.Kind), grants: try product.grants())
  }
}
