package import GemLedger

/// Values by integers, as proof, insight and import look up several with every entry; no value is removed alone.
package final class IntegerMap<Value> {
  @usableFromInline var slots = SlotTable()
  @usableFromInline var values: [Value] = []

  package init() {}

  package var count: Int { values.count }

  /// Setting nil leaves the value as it is.
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

  /// Reads where the value lies, so that it is near when it is asked for.
  func touch(_ number: Int64) -> Int64 {
    guard let slot = slots[number] else { return 0 }
    return values.withUnsafeBytes { Int64($0[slot * MemoryLayout<Value>.stride]) }
  }

  package func removeAll() {
    slots.removeAll()
    values.removeAll(keepingCapacity: true)
  }

  /// Returns the numbers with values that are wanted, in the order in which they came.
  func numbers(where isWanted: (Value) -> Bool) -> [Int64] { slots.numbers { isWanted(values[$0]) } }
}
