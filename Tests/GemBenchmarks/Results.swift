internal import Foundation
internal import GemLedger

/// The rounds of all contenders of a run, as a file keeps them.
public final class Results: Codable {
  /// One contender of one subject.
  struct Contender: Codable {
    let subject: String
    let name: String
    /// Nanoseconds an operation, by round.
    var nanoseconds: [Double]
  }

  private(set) var contenders: [Contender] = []

  /// Makes the results of no contender.
  public init() {}

  func add(_ subject: String, _ name: String, _ nanoseconds: [Double]) {
    if let index = contenders.firstIndex(where: { $0.subject == subject && $0.name == name }) {
      contenders[index].nanoseconds += nanoseconds
    } else {
      contenders.append(Contender(subject: subject, name: name, nanoseconds: nanoseconds))
    }
  }

  func add(_ other: Results) {
    for contender in other.contenders { add(contender.subject, contender.name, contender.nanoseconds) }
  }

  /// Reads the results that ``save(_:)`` wrote.
  public convenience init(file: String) throws {
    self.init()
    guard let data = FileManager.default.contents(atPath: file) else {
      throw LedgerError(.inputOutput, "\(file) cannot be read. Write it with gembench --save FILE.")
    }
    do {
      contenders = try JSONDecoder().decode([Contender].self, from: data)
    } catch {
      throw LedgerError(.invalidRequest, "\(file) has no results of gembench. Write it with gembench --save FILE.")
    }
  }

  /// Writes the results as JSON.
  public func save(_ file: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(contenders).write(to: URL(fileURLWithPath: file), options: .atomic)
  }

  /// Prints each contender beside the same one of earlier results.
  ///
  /// - Parameter isInterleaved: Whether the rounds of both were measured in turn, so that rounds can be compared.
  public func compare(to old: Results, isInterleaved: Bool, print: (String) -> Void) {
    var subject: String?
    for contender in contenders {
      if contender.subject != subject { print("\n\(contender.subject), old and new:") }
      subject = contender.subject
      let earlier = old.contenders.first { $0.subject == contender.subject && $0.name == contender.name }
      let new = Spread(contender.nanoseconds)
      guard let earlier else {
        print("    \(contender.name): \(new.text(Figure.nanoseconds)); not among the old")
        continue
      }
      let before = Spread(earlier.nanoseconds)
      let ratio =
        isInterleaved
        ? Spread(zip(contender.nanoseconds, earlier.nanoseconds).map { $0 / $1 }).text(Figure.ratio)
        : Figure.ratio(new.median / before.median)
      print(
        "    \(contender.name): \(before.text(Figure.nanoseconds)), \(new.text(Figure.nanoseconds)); "
          + "new to old \(ratio) times the time")
    }
  }
}
