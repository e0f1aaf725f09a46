/// What the parts of a unit of work share: the storage as it was before the group, and the group's place in time.
struct GroupScope {
  /// The storage as it was before the group; nil between groups.
  private var opened: (any StorageSnapshot)?
  /// When the group is booked.
  var now = Timestamp(milliseconds: 0)
  /// The past instant that is shown, and the customer with the loaded accounts; nil for now.
  var moment: (instant: Timestamp, customer: CustomerNumber, numbers: [CustomerNumber])?
  /// The number that numbers of the group's time follow; nil if all numbers are counted up.
  private var lastNumber: Int64?

  /// The scope between groups.
  init() {}

  init(_ session: any StorageSnapshot, now: Timestamp, numbersAfter lastNumber: Int64?) {
    opened = session
    self.now = now
    self.lastNumber = lastNumber
  }

  /// The scope of no group: what it reads is what the storage has.
  init(reading snapshot: any StorageSnapshot) { opened = snapshot }

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
