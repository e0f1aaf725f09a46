/// Proves the books of one snapshot.
struct Verifier {
  let snapshot: any StorageSnapshot
  let terms: CatalogTerms
  let asOf: Timestamp

  mutating func run(progress: (Int64, Int64) -> Void) throws(LedgerError) -> Verification {
    Verification(asOf: asOf, transactions: 0, customers: 0, currencies: [], problems: [], problemCount: 0)
  }
}
