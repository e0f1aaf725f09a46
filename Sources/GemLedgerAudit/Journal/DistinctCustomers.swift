internal import GemLedger

extension Sequence<CustomerNumber> {
  /// Returns each customer once, to avoid duplicate reads.
  func distinct() -> [CustomerNumber] { Array(Set(self)) }
}
