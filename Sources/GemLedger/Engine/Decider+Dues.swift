// What comes about by itself is booked by the next command on the account, before the command itself is decided: it is
// so whatever becomes of the command.

extension Decider {
  /// Whether something other than an expiry may have come about in the account.
  ///
  /// What a currency gives by itself is looked at by each group: a new version of the catalog moves what an account
  /// expects.
  @inline(__always)
  func isDue(_ slot: Int, _ currency: CurrencyTerms) -> Bool {
    set.accounts[slot].row.nextDue <= set.now.milliseconds || currency.policies != nil && mayGive(slot, currency)
  }

  /// Whether the group has not looked yet at what the currency gives by itself.
  private func mayGive(_ slot: Int, _ currency: CurrencyTerms) -> Bool {
    currency.policies?.givesByItself == true && !set.accounts[slot].isSettled
  }

  mutating func settleDues(
    _ slot: Int, _ currency: CurrencyTerms, customer: FoundCustomer, session: any StorageSnapshot
  ) throws(LedgerError) {
    var next = set.accounts[slot].row.nextDue
    // No hold of the account ends before something is due.
    if next <= set.now.milliseconds {
      next = .max
      for hold in try set.holds(of: customer.number, session: session) {
        if hold.deadline <= set.now {
          try lapse(hold, owner: customer, session: session)
        } else {
          next = min(next, hold.deadline.milliseconds)
        }
      }
    }
    set.accounts[slot].isSettled = true
    if let policies = currency.policies, policies.givesByItself {
      next = min(next, try settlePolicies(policies, slot, currency, session: session))
    }
    if set.accounts[slot].row.nextDue != next {
      set.accounts[slot].row.nextDue = next
      set.accounts[slot].isChanged = true
    }
    // What came back may have been due in the accounts that are planned already.
    for index in plans.indices where set.accounts[plans[index].slot].row.nextExpiry <= set.now.milliseconds {
      try planExpiry(index, session: session)
    }
  }

  /// Writes down everything that is due for the customer.
  ///
  /// - Throws: `customer_not_found`.
  mutating func decideSettlement(
    _ command: LedgerCommand.Body, session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    guard let customer = try findCustomer(command.customer, session: session) else {
      throw .customerNotFound(command.customer)
    }
    plans.removeAll(keepingCapacity: true)
    for currency in terms.currencies {
      try plan(.expiry, currency.code, 0, customer: customer, session: session)
    }
    for index in plans.indices {
      let slot = plans[index].slot
      if plans[index].expiredAmount != 0 {
        bookExpiry(of: index, customer: customer.number)
      } else if set.accounts[slot].row.nextExpiry <= set.now.milliseconds {
        // The account expected an expiry too early; now that its lots were looked at, it knows.
        refreshNextExpiry(slot: slot, book: set.book(of: slot))
        set.accounts[slot].isChanged = true
      }
    }
    return Receipt(
      transactionID: nil, customer: command.customer, kind: .expiry, createdAt: set.now, entries: CompactList([]))
  }
}
