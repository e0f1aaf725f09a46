internal import GemLedger

/// The numbers of customers by the hashes of their ids, so that most customers are found by number.
///
/// A search by id compares texts in a large tree and then reads the customer's row; a search by number reads only the
/// row. The row has the id, so a wrong number is noticed, and hints never have to be removed. At most 16 MiB.
struct CustomerHints {
  private static let countMin = 1 << 12
  static let countMax = 1 << 22

  /// Empty until the first number is stored, then a power of two.
  private var numbers: [UInt32] = []

  /// The number that was stored last with a hash of the same place, or 0.
  subscript(hash: Int) -> CustomerNumber {
    get { numbers.isEmpty ? 0 : CustomerNumber(numbers[hash & (numbers.count - 1)]) }
    set {
      guard let number = UInt32(exactly: newValue) else { return }
      makeRoom(for: number)
      numbers[hash & (numbers.count - 1)] = number
    }
  }

  /// Provides four places for each customer, since numbers are counts: four of five hints are then the right ones.
  private mutating func makeRoom(for number: UInt32) {
    if numbers.isEmpty { numbers = Array(repeating: 0, count: Self.countMin) }
    while numbers.count < Self.countMax, numbers.count < 4 * Int(number) {
      // The hash is not known any more, and decides which of the two is the right place: the other is a wrong hint.
      numbers += numbers
    }
  }
}
