internal import GemLedger

/// The scan of a ``CountedStorage``.
final class CountedScan: ExportReads {
  private let base: any StorageScan
  private let count: (String) -> Void

  init(_ base: any StorageScan, count: @escaping (String) -> Void) {
    self.base = base
    self.count = count
  }

  private func counted(_ question: String = #function) -> any StorageScan {
    count(question)
    return base
  }

  func transactions(after: TransactionNumber, limit: Int) throws(LedgerError) -> [TransactionRow] {
    try counted().transactions(after: after, limit: limit)
  }
  func entries(after: EntryNumber, limit: Int) throws(LedgerError) -> [EntryRow] {
    try counted().entries(after: after, limit: limit)
  }
  func allocations(after: AllocationRow?, limit: Int) throws(LedgerError) -> [AllocationRow] {
    try counted().allocations(after: after, limit: limit)
  }
  func accounts(after: AccountNumber, limit: Int) throws(LedgerError) -> [AccountRow] {
    try counted().accounts(after: after, limit: limit)
  }
  func lots(after: LotNumber, limit: Int) throws(LedgerError) -> [LotRow] {
    try counted().lots(after: after, limit: limit)
  }
  func purchases(after: Int64, limit: Int) throws(LedgerError) -> [PurchaseRow] {
    try counted().purchases(after: after, limit: limit)
  }
  func checkpoints(after: CheckpointRow?, limit: Int) throws(LedgerError) -> [CheckpointRow] {
    try counted().checkpoints(after: after, limit: limit)
  }
  func keys(after: KeyScanPosition?, limit: Int) throws(LedgerError) -> [(KeyRow, KeyScanPosition)] {
    try counted().keys(after: after, limit: limit)
  }
  func itemEntries(after: ItemEntryRow?, limit: Int) throws(LedgerError) -> [ItemEntryRow] {
    try counted().itemEntries(after: after, limit: limit)
  }
  func ownedItems(after: OwnedItemRow?, limit: Int) throws(LedgerError) -> [OwnedItemRow] {
    try counted().ownedItems(after: after, limit: limit)
  }
  func lotAttributes(after: LotNumber, limit: Int) throws(LedgerError) -> [LotAttributesRow] {
    try counted().lotAttributes(after: after, limit: limit)
  }
  func merges(after: TransactionNumber, limit: Int) throws(LedgerError) -> [MergeRow] {
    try counted().merges(after: after, limit: limit)
  }
  func refunds(after: TransactionNumber, limit: Int) throws(LedgerError) -> [RefundRow] {
    try counted().refunds(after: after, limit: limit)
  }
  func refundParts(after: RefundPartRow?, limit: Int) throws(LedgerError) -> [RefundPartRow] {
    try counted().refundParts(after: after, limit: limit)
  }
  func refundStates(after: Int64, limit: Int) throws(LedgerError) -> [RefundStateRow] {
    try counted().refundStates(after: after, limit: limit)
  }
  func customerIDs(after: CustomerID?, limit: Int) throws(LedgerError) -> [AddedIDRow] {
    try counted().customerIDs(after: after, limit: limit)
  }
  func events(after: JournalEventRow?, limit: Int) throws(LedgerError) -> [JournalEventRow] {
    try counted().events(after: after, limit: limit)
  }
  func holds(after: TransactionNumber, limit: Int) throws(LedgerError) -> [HoldRow] {
    try counted().holds(after: after, limit: limit)
  }
  func counts(after: CountRow?, limit: Int) throws(LedgerError) -> [CountRow] {
    try counted().counts(after: after, limit: limit)
  }
  func notes(after: TransactionNumber, limit: Int) throws(LedgerError) -> [NoteRow] {
    try exported().notes(after: after, limit: limit)
  }
  func accountTokens(after: AccountTokenRow?, limit: Int) throws(LedgerError) -> [AccountTokenRow] {
    try exported().accountTokens(after: after, limit: limit)
  }
  func refundEvidence(after: RefundEvidenceRow?, limit: Int) throws(LedgerError) -> [RefundEvidenceRow] {
    try exported().refundEvidence(after: after, limit: limit)
  }
  func catalogVersions() throws(LedgerError) -> [CatalogVersionRow] { try exported().catalogVersions() }

  private func exported(_ question: String = #function) throws(LedgerError) -> any ExportReads {
    guard let scan = counted(question) as? any ExportReads else { throw .defect("The storage exports nothing") }
    return scan
  }

  func beginIntegrityCheck() throws(LedgerError) -> () throws(LedgerError) -> [String] {
    try counted().beginIntegrityCheck()
  }
}
