#if PostgreSQL
internal import GemLedger

extension PostgresMigration {
  /// The journal: rows are appended, never changed.
  ///
  /// Each row of these tables is stored with the customer that it was written for; merges do not change that.
  static var journal: [String] {
    [
      // has_entries fits into the padding between a smallint and the next bigint.
      table(
        TransactionRow.self, without: ["first_entry"],
        instead: ["kind": "kind smallint NOT NULL,\n  has_entries boolean NOT NULL"]),
      // The low six bits of a number are the lane that assigned it: the index has each lane's transactions in commit
      // order.
      "CREATE INDEX transactions_of_lanes ON transactions ((number & 63), number)",
      "CREATE INDEX transactions_without_entries ON transactions (customer, number) WHERE NOT has_entries",
      // An entry's number is its transaction's number, shifted by twelve bits, plus its index in the transaction.
      table(EntryRow.self, without: ["transaction_number"]),
      table(AllocationRow.self),
      // A UUID key is stored as a zero byte and its sixteen bytes, any other key as text.
      table(KeyRow.self, instead: ["key": "key bytea NOT NULL"]),
      // Free text is outside the journal and can be erased.
      table(NoteRow.self),
      table(ItemEntryRow.self),
      // A lot that moved has one row for each of its customers.
      table(LotAttributesRow.self),
      // Transferred currency refers to lots of other customers.
      "CREATE INDEX lot_attributes_by_lot ON lot_attributes (lot)",
      table(MergeRow.self, without: ["into_customer"]),
      // frozen_product: a hash of the document, so that equal documents need no look-up.
      "CREATE TABLE frozen_products (frozen_product bigint PRIMARY KEY, document text NOT NULL)",
      table(
        PurchaseRow.self, without: Set(PurchaseRow.joinedColumns.keys),
        instead: ["document": "frozen_product bigint NOT NULL"]),
      "CREATE INDEX purchases_by_number ON purchases (purchase)",
      // The customer that the purchase was credited to.
      // With the only part; NULL if refund_parts has several. Most refunds take the currency of one lot, and each
      // further table would cost them a row and an index entry.
      table(RefundWithPart.self, key: ["customer", "purchase", "transaction_number"]),
      table(RefundPartRow.self),
      // 0 and the empty text mean no counter.
      table(
        JournalEventRow.self,
        instead: [
          "counter_kind": "counter_kind smallint NOT NULL", "subject": #"subject text COLLATE "C" NOT NULL"#,
        ]),
      """
      CREATE INDEX journal_events_of_targets ON journal_events (customer, target, transaction_number, position)
        WHERE target <> 0
      """,
    ]
  }
}
#endif
