/// What the parts of a unit of work share: the storage as it was before the group, and the group's place in time.
final class GroupScope {
  /// The storage as it was before the group; nil between groups.
  private var opened: (any StorageSnapshot)?
  /// When the group is booked.
  private(set) var now = Timestamp(milliseconds: 0)
  /// The past instant that is shown, and the customer with the loaded accounts; nil for now.
  private(set) var moment: (instant: Timestamp, customer: CustomerNumber, numbers: [CustomerNumber])?
  /// The number that numbers of the group's time follow; nil if all numbers are counted up.
  private var lastNumber: Int64?

  init() {}

  /// The scope of no group: what it reads is what the storage has.
  init(reading snapshot: any StorageSnapshot) { opened = snapshot }

  func begin(_ session: any StorageSnapshot, now: Timestamp, numbersAfter lastNumber: Int64?) {
    opened = session
    self.now = now
    self.lastNumber = lastNumber
    if moment != nil { moment = nil }
  }

  /// Releases the session.
  func end() { opened = nil }

  /// Shows a past instant.
  func goBack(to instant: Timestamp, of customer: CustomerNumber, numbers: [CustomerNumber]) {
    moment = (instant, customer, numbers)
    now = instant
  }

  var session: any StorageSnapshot {
    @inline(__always)
    get {
      guard let opened else { preconditionFailure("A group reads before it has begun") }
      return opened
    }
  }

  /// Draws the number after the last one, which is nil before the first.
  ///
  /// Sparse numbers follow time; only environments, which all lanes share, are counted up.
  func next(_ sequence: ColdSequence, after last: inout Int64?) throws(LedgerError) -> Int64 {
    var before = last ?? (sequence == .environment ? nil : lastNumber)
    if before == nil { before = try session.last(sequence) }
    let next = try session.number(after: before ?? 0, in: sequence)
    last = next
    return next
  }
}
