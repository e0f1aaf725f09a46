package import GemLedger

/// A map from integers to values, for the frequent look-ups of proof, insight and import; no value can be removed.
package final class IntegerMap<Value> {
  @usableFromInline var slots = SlotTable()
  @usableFromInline var values: [Value] = []

  package init() {}

  package var count: Int { values.count }

  /// Setting nil keeps the current value.
  @inlinable
  package subscript(number: Int64) -> Value? {
    get { slots[number].map { values[$0] } }
    set {
      guard let newValue else { return }
      let slot = slots.insert(number, slot: values.count)
      if slot < values.count { values[slot] = newValue } else { values.append(newValue) }
    }
  }

  @inlinable
  package subscript(account: AccountNumber) -> Value? {
    get { self[account.rawValue] }
    set { self[account.rawValue] = newValue }
  }

  /// Changes a number's value in place, with one look-up; a new number begins with the default.
  @inlinable
  package func update<R>(
    _ number: Int64, default value: @autoclosure () -> Value, _ change: (inout Value) -> R
  ) -> R {
    let slot = slots.insert(number, slot: values.count)
    if slot == values.count { values.append(value()) }
    return change(&values[slot])
  }

  /// Reads the value's memory to bring it into the cache before its use.
  func touch(_ number: Int64) -> Int64 {
    guard let slot = slots[number] else { return 0 }
    return values.withUnsafeBytes { Int64($0[slot * MemoryLayout<Value>.stride]) }
  }

  package func removeAll() {
    slots.removeAll()
    values.removeAll(keepingCapacity: true)
  }

  /// Returns the numbers with wanted values, in insertion order.
  func numbers(where isWanted: (Value) -> Bool) -> [Int64] { slots.numbers { isWanted(values[$0]) } }
}
