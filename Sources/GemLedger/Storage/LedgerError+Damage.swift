extension LedgerError {
  /// A currency is never removed from the catalog, so every row's currency must be there.
  package static func lacksCurrency(_ number: Int64) -> Self {
    Self(.storageDamaged, "The catalog lacks currency number \(number), which a row names; run verify.")
  }

  package static func lacksTransaction(_ number: TransactionNumber) -> Self {
    Self(.storageDamaged, "The journal lacks transaction \(number); run verify.")
  }
}
