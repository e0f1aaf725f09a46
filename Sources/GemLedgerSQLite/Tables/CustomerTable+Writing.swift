internal import GemLedger

extension CustomerTable {
  func add(_ customers: [CustomerRow]) throws(LedgerError) {
    try statements.insert(customers)
    try statements.run("INSERT INTO aliases VALUES (?1, ?2)", customers) {
      $0.bind(1, $1.id.text)
      $0.bind(2, $1.number)
    }
  }

  func write(_ changes: ColdChanges) throws(LedgerError) {
    try statements.update(changes.changedCustomers)
    for sql in ["INSERT INTO added_ids VALUES (?1, ?2)", "INSERT INTO aliases (customer, id) VALUES (?1, ?2)"]
      as [StaticString]
    {
      try statements.run(sql, changes.addedIDs) {
        $0.bind(1, $1.customer)
        $0.bind(2, $1.id.text)
      }
    }
  }

  /// Writes a repair's changes of customers' ids.
  func write(_ changes: IDChanges) throws(LedgerError) {
    try statements.run("DELETE FROM aliases WHERE id = ?1 AND customer = ?2", changes.removed) {
      $0.bind(1, $1.id.text)
      $0.bind(2, $1.customer)
    }
    try statements.run("INSERT INTO aliases (customer, id) VALUES (?1, ?2)", changes.named) {
      $0.bind(1, $1.customer)
      $0.bind(2, $1.id.text)
    }
    try statements.run("UPDATE customers SET id = ?2 WHERE customer = ?1", changes.renamed) {
      $0.bind(1, $1.row.number)
      $0.bind(2, $1.id.text)
    }
  }

  // MARK: Ids of erased customers

  /// Frees the ids of erased customers, before new customers take them.
  func freeIDs(of rows: [ErasureRow]) throws(LedgerError) {
    for row in rows {
      try free(zip(row.numbers, row.former).map { AddedIDRow(customer: $0, id: $1) } + row.added)
    }
  }

  /// Frees added ids; an id that another customer has by now remains.
  func free(_ rows: [AddedIDRow]) throws(LedgerError) {
    try statements.run("DELETE FROM aliases WHERE id = ?1 AND customer = ?2", rows) {
      $0.bind(1, $1.id.text)
      $0.bind(2, $1.customer)
    }
  }

  /// Renames an erased customer; its row was written already, and the erased form of an id needs no alias.
  func rename(_ row: ErasureRow) throws(LedgerError) {
    let others = zip(row.numbers, row.ids).filter { !$1.isOfErased }
    try statements.run("INSERT OR REPLACE INTO aliases (customer, id) VALUES (?1, ?2)", others) {
      $0.bind(1, $1.0)
      $0.bind(2, $1.1.text)
    }
  }
}
