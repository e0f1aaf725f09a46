/// Evaluates the journal's merges and unmerges: which customers are part of which customer; pure.
///
/// A merge names the surviving customer as ``MergeRow/into``. An unmerge names the split-off customer there, and the
/// survivor as ``MergeRow/from``.
package enum MergeRules {
  /// Checks that the two accounts can be merged.
  ///
  /// - Throws: `over_maximum` if the sum would pass the hard limit.
  static func check(
    _ code: CurrencyCode, _ one: AccountRow, expired: Int64, into other: AccountRow, expired otherExpired: Int64
  ) throws(LedgerError) {
    let balance = one.balance - expired + other.balance - otherExpired
    guard balance <= Limits.amount, one.debt + other.debt <= Limits.amount else {
      throw LedgerError(
        .overMaximum,
        "Together they would have \(balance) \(code), more than the largest possible balance, "
          + "\(Limits.amount). Nothing was changed.",
        details: [
          .text("currency", code.description), .integer("balance", other.balance), .integer("amount", one.balance),
          .integer("maximum", Limits.amount),
        ])
    }
  }

  /// Checks that a customer with these ids has not signed in.
  ///
  /// - Throws: `condition_failed`.
  static func checkAnonymous(_ ids: [CustomerID], named id: CustomerID) throws(LedgerError) {
    guard ids.allSatisfy(\.isAnonymous) else {
      throw LedgerError(
        .conditionFailed, "\"\(id)\" is an id of a signed-in customer. Nothing was changed.",
        details: [.text("condition", "anonymous")])
    }
  }

  /// Returns the direct merge of one customer into another that no unmerge has undone; nil if there is none.
  ///
  /// - Parameters:
  ///   - end: Merges and unmerges from this transaction on do not count.
  ///   - records: The records of a number, oldest first.
  package static func merge(
    of part: CustomerNumber, into survivor: CustomerNumber, before end: TransactionNumber = .max,
    records: (CustomerNumber) throws(LedgerError) -> [MergeRecord]
  ) throws(LedgerError) -> MergeRow? {
    let merge = try records(survivor).last { !$0.isUnmerge && $0.row.from == part && $0.row.transaction < end }
    guard let merge else { return nil }
    let isUndone = try records(part).contains {
      $0.isUnmerge && $0.row.from == survivor && $0.row.transaction > merge.row.transaction && $0.row.transaction < end
    }
    return isUndone ? nil : merge.row
  }

  /// Returns the customers that became part of this one, directly or through others, and were not split off since.
  package static func followers(
    of customer: CustomerNumber, before end: TransactionNumber = .max,
    records: (CustomerNumber) throws(LedgerError) -> [MergeRecord]
  ) throws(LedgerError) -> [CustomerNumber] {
    var (found, next): ([CustomerNumber], [CustomerNumber]) = ([], [customer])
    while let survivor = next.popLast() {
      for from in Set(try records(survivor).filter { !$0.isUnmerge }.map(\.row.from)).sorted()
      where from != customer && !found.contains(from) {
        guard try merge(of: from, into: survivor, before: end, records: records) != nil else { continue }
        found.append(from)
        next.append(from)
      }
    }
    return found.sorted()
  }

  /// A customer that included another, directly or through others, and the unmerge that ended it.
  package struct FormerSurvivor: Hashable {
    package let number: CustomerNumber
    package let until: TransactionNumber
  }

  /// Returns the customers that included these before unmerges, each with the last of those times.
  ///
  /// - Parameter records: The records of some numbers, each oldest first.
  package static func formerSurvivors(
    of members: [CustomerNumber], records: ([CustomerNumber]) throws(LedgerError) -> [[MergeRecord]]
  ) throws(LedgerError) -> [FormerSurvivor] {
    var found: [CustomerNumber: TransactionNumber] = [:]
    var level = members.map { FormerSurvivor(number: $0, until: .max) }
    while !level.isEmpty {
      var next: [FormerSurvivor] = []
      for (part, rows) in zip(level, try records(level.map(\.number))) {
        for row in rows where row.isUnmerge {
          // Through another customer, it was part of the survivor only until the earlier of both splits.
          let survivor = FormerSurvivor(number: row.row.from, until: min(part.until, row.row.transaction))
          guard survivor.until > found[survivor.number] ?? 0 else { continue }
          found[survivor.number] = survivor.until
          next.append(survivor)
        }
      }
      level = next
    }
    return found.map(FormerSurvivor.init).sorted { $0.number < $1.number }
  }

  /// Returns the customers that ever included one of these, or were ever part of one of these.
  ///
  /// Rows about a customer may have the number of any of them.
  package static func related(
    to members: [CustomerNumber], records: (CustomerNumber) throws(LedgerError) -> [MergeRow]
  ) throws(LedgerError) -> [CustomerNumber] {
    var (found, seen) = (members, Set(members))
    var index = 0
    while index < found.count {
      for row in try records(found[index]) where seen.insert(row.from).inserted { found.append(row.from) }
      index += 1
    }
    return found
  }
}
