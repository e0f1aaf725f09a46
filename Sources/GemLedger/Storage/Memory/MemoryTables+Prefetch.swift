// Deciding a command looks at five or six far places in memory, one after the other, and waits for each. Looking at the
// places of the whole group first, in short loops whose steps do not depend on each other, lets the processor wait for
// many of them at once; measured, that halves the time of a command at 100,000 customers.

extension MemoryTables {
  func prefetch(_ commands: [LedgerCommand]) {
    guard commands.count >= 8 else { return }
    var seen = 0
    prefetchRows.removeAll(keepingCapacity: true)
    for index in commands.indices {
      prefetchRows.append(customerIndex.peek(ByteHash.of(commands[index].customer.text)))
    }
    for row in prefetchRows where row >= 0 { seen &+= Int(customers[row].number) }
    for currency in accounts.indices.prefix(4) {
      for row in prefetchRows where row >= 0 { seen &+= accounts[currency].peek(Int64(row) + 1) }
    }
    for (index, row) in prefetchRows.enumerated() where row >= 0 {
      guard let key = commands[index].key else { continue }
      seen &+= keyIndex.peek(KeyHash.of(key, customer: CustomerNumber(row) + 1))
    }
    // Kept, so that the looks are not taken out.
    prefetchSum = seen
  }
}
