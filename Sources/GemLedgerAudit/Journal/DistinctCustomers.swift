internal import GemLedger

extension Sequence<CustomerNumber> {
  /// Each once, so that nothing is asked for twice.
  func distinct() -> [CustomerNumber] { Array(Set(self)) }
}
