/// Completes an answer that is given again, and a page of history: both tell the same as the first answer.
enum AnswerCompletion {
  /// Adds the extras of holds, reversals and baskets to a booking.
  static func complete(
    _ set: borrowing WorkingSet, _ receipt: inout Receipt, of row: TransactionRow, terms: CatalogTerms,
    session: any StorageSnapshot
  ) throws(LedgerError) {
    let root = try set.found(row.customer, session: session)
    let owners = try set.numbers(of: root, session: session)
    let own = try set.effects(of: row.number, ofAny: owners, session: session)
    let about = try set.effects(about: row.number, ofAny: owners, session: session)
    guard !own.isEmpty || !about.isEmpty else { return }
    var extras = ReceiptExtras()
    let lost = try lost(set, about, owners: owners, &extras, terms: terms, session: session)
    if !lost.isEmpty { receipt.entries = CompactList(Array(receipt.entries) + lost) }
    for effect in own {
      switch effect.kind {
      case .reversal: extras.reversed = try id(set, of: effect.target, terms: terms, session: session)
      case .linked: extras.parties += try party(set, effect, terms: terms, session: session)
      case .held, .captured, .released, .deadline, .counted, .late, .reclaimed: continue
      }
    }
    // A merge may move several holds, and its booking shows none of them.
    if row.kind != .merge, let hold = own.first(where: { $0.kind.isOfHold }) {
      extras.hold = try holdReceipt(
        set, hold.target, at: row, receipt, own, owners: owners, terms: terms, session: session)
    }
    if extras != ReceiptExtras() { receipt.extras = extras }
  }

  /// Adds the extras without the entries of returned currency that was lost at once: a list has those transactions too.
  static func completeAlone(
    _ set: borrowing WorkingSet, _ receipt: inout Receipt, of row: TransactionRow, terms: CatalogTerms,
    session: any StorageSnapshot
  ) throws(LedgerError) {
    let entries = receipt.entries
    try complete(set, &receipt, of: row, terms: terms, session: session)
    receipt.entries = entries
  }

  private static func id(
    _ set: borrowing WorkingSet, of number: TransactionNumber, terms: CatalogTerms, session: any StorageSnapshot
  ) throws(LedgerError) -> TransactionID {
    var row = set.transaction(number)
    if row == nil { row = try session.transaction(number) }
    guard let row else {
      throw LedgerError(.storageDamaged, "The journal lacks transaction \(number); run verify.")
    }
    return terms.transactionIDs.id(number: number, createdAt: row.createdAt)
  }

  private static func receipt(
    _ set: borrowing WorkingSet, of number: TransactionNumber, ofAny owners: [CustomerNumber], _ id: CustomerID,
    terms: CatalogTerms, session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    guard let parts = try set.parts(of: number, ofAny: owners, session: session) else {
      throw LedgerError(.storageDamaged, "The journal lacks transaction \(number); run verify.")
    }
    return try parts.receipt(customer: id, terms: terms)
  }

  private static func party(
    _ set: borrowing WorkingSet, _ effect: EffectRow, terms: CatalogTerms, session: any StorageSnapshot
  ) throws(LedgerError) -> [ReceiptParty] {
    let id = try set.knownCustomer(effect.value, session: session).id
    let receipt = try receipt(set, of: effect.target, ofAny: [effect.value], id, terms: terms, session: session)
    return ReceiptParty(receipt, of: id).map { [$0] } ?? []
  }

  /// Returns the entries for returned currency that was lost at once.
  private static func lost(
    _ set: borrowing WorkingSet, _ effects: [EffectRow], owners: [CustomerNumber], _ extras: inout ReceiptExtras,
    terms: CatalogTerms, session: any StorageSnapshot
  ) throws(LedgerError) -> [PostedEntry] {
    var numbers: [TransactionNumber] = []
    for effect in effects where effect.kind == .late || effect.kind == .reclaimed {
      if numbers.last != effect.transaction { numbers.append(effect.transaction) }
      guard let code = terms.currency(number: effect.currency)?.code else { continue }
      let amount = CurrencyAmount(currency: code, amount: effect.amount)
      if effect.kind == .late {
        extras.expired = CurrencySums.sum(extras.expired, [amount])
      } else {
        extras.reclaimed = CurrencySums.sum(extras.reclaimed, [amount])
      }
    }
    var entries: [PostedEntry] = []
    for number in numbers {
      // The owner does not matter for the entries.
      let id = CustomerID(unchecked: "")
      entries += try receipt(set, of: number, ofAny: owners, id, terms: terms, session: session).entries
    }
    return entries
  }

  // MARK: Holds

  private static func holdReceipt(
    _ set: borrowing WorkingSet, _ hold: TransactionNumber, at row: TransactionRow, _ receipt: Receipt,
    _ own: [EffectRow], owners: [CustomerNumber], terms: CatalogTerms, session: any StorageSnapshot
  ) throws(LedgerError) -> HoldReceipt {
    let all = try set.effects(about: hold, ofAny: owners, session: session).filter { $0.transaction <= row.number }
    let isEnded = own.contains { $0.kind == .released } || row.kind == .release
    let parts = isEnded ? [] : HoldRules.outstanding(all, of: row.customer)
    let deadline = all.lazy.compactMap(\.deadline).last
    var (amounts, balances, available): ([CurrencyAmount], [CurrencyAmount], [CurrencyAmount]) = ([], [], [])
    var seen: [Int64: Int64] = [:]
    for effect in own where effect.currency != 0 {
      seen[effect.currency] = own.last { $0.currency == effect.currency }?.heldAfter
    }
    for currency in terms.currencies {
      let held = parts.filter { $0.account.currency == currency.number }.reduce(0) { $0 + $1.amount }
      if held > 0 { amounts.append(CurrencyAmount(currency: currency.code, amount: held)) }
      guard let heldAfter = seen[currency.number] else { continue }
      let account = AccountNumber(customer: row.customer, currency: currency.number)
      var balance = receipt.balance(currency.code)
      if balance == nil { balance = try Self.balance(set, of: account, before: row.number, session: session) }
      balances.append(CurrencyAmount(currency: currency.code, amount: balance ?? 0))
      available.append(CurrencyAmount(currency: currency.code, amount: (balance ?? 0) - heldAfter))
    }
    return HoldReceipt(
      id: HoldID(try id(set, of: hold, terms: terms, session: session)), amounts: amounts,
      expiresAt: parts.isEmpty ? nil : deadline, balances: balances, available: available)
  }

  /// The balance after the account's newest entry before the transaction.
  private static func balance(
    _ set: borrowing WorkingSet, of account: AccountNumber, before number: TransactionNumber,
    session: any StorageSnapshot
  ) throws(LedgerError) -> Int64 {
    if let own = set.changes.entries.last(where: { $0.account == account && $0.transaction < number }) {
      return own.balance
    }
    guard let row = try session.account(account) else { return 0 }
    return try AccountHistory(snapshot: session, account: row).newest(below: number)?.balance ?? 0
  }
}

extension EffectRow.Kind {
  /// Whether its target is a hold.
  var isOfHold: Bool { self == .deadline || self == .held || self == .captured || self == .released }
}
