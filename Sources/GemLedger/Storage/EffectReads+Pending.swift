// Until SQLite and PostgreSQL have the tables.
extension EffectReads {
  package func effects(of transaction: TransactionNumber, ofAny owners: [CustomerNumber]) throws(LedgerError) -> [EffectRow] { [] }
  package func effects(about target: TransactionNumber, ofAny owners: [CustomerNumber]) throws(LedgerError) -> [EffectRow] { [] }
  package func effects(of customer: CustomerNumber, below: TransactionNumber, limit: Int) throws(LedgerError) -> [EffectRow] { [] }
  package func hold(_ number: TransactionNumber, ofAny owners: [CustomerNumber]) throws(LedgerError) -> HoldRow? { nil }
  package func holds(of customer: CustomerNumber) throws(LedgerError) -> [HoldRow] { [] }
  package func count(_ key: CountKey, of customer: CustomerNumber) throws(LedgerError) -> CountRow? { nil }
  package func counts(of customer: CustomerNumber) throws(LedgerError) -> [CountRow] { [] }
}
extension EffectScan {
  package func effects(after: EffectRow?, limit: Int) throws(LedgerError) -> [EffectRow] { [] }
  package func holds(after: TransactionNumber, limit: Int) throws(LedgerError) -> [HoldRow] { [] }
  package func counts(after: CountRow?, limit: Int) throws(LedgerError) -> [CountRow] { [] }
}
