/// The answers to commands, in the order of the commands.
///
/// They are the results that the callers get: no list of results is made again on the way.
struct GroupAnswers: Sendable {
  typealias Answer = Result<Booking, LedgerError>

  /// A command that belongs elsewhere has an error here that is no answer yet.
  private(set) var results: [Answer] = []
  /// The positions of the commands that belong to other lanes than the group's: they are routed again.
  private(set) var elsewhere: Set<Int> = []

  /// Answers to commands that all belong elsewhere so far.
  init(elsewhere count: Int) { appendElsewhere(count: count) }

  init(capacity: Int = 0) { results.reserveCapacity(capacity) }

  mutating func append(_ answer: consuming Answer) { results.append(answer) }

  mutating func appendElsewhere(count: Int = 1) {
    elsewhere.formUnion(results.count..<results.count + count)
    results += repeatElement(.failure(.keepsMoving), count: count)
  }

  mutating func append(contentsOf next: GroupAnswers) {
    for position in next.elsewhere { elsewhere.insert(results.count + position) }
    results += next.results
  }

  mutating func set(_ answer: Answer, at position: Int) {
    results[position] = answer
    elsewhere.remove(position)
  }

  /// Takes over the answers of a group.
  ///
  /// - Parameter positions: The positions of the group's commands here.
  mutating func set(_ answers: GroupAnswers, at positions: some Sequence<Int>) {
    for (index, position) in positions.enumerated() where !answers.elsewhere.contains(index) {
      set(answers.results[index], at: position)
    }
  }

  /// The answers to a part of the commands.
  subscript(part: Range<Int>) -> Self {
    if part == results.indices { return self }
    var answers = Self()
    answers.results += results[part]
    for position in elsewhere where part.contains(position) { answers.elsewhere.insert(position - part.lowerBound) }
    return answers
  }

  /// The booking of the only command.
  ///
  /// - Throws: The refusal.
  consuming func booking() throws(LedgerError) -> Booking {
    // Taken out, not copied.
    try results.removeLast().get()
  }
}

extension LedgerError {
  /// The answer to a command that belonged elsewhere as often as it was routed.
  static let keepsMoving = LedgerError(
    .storageUnavailable, "The customer is being merged again and again; nothing was booked. Ask again.")
}
