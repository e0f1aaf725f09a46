package import GemLedger

/// The form of a store transaction in the payload of a receipt.
///
/// Purchases at Google Play have Google's field names, all others Apple's. Apple counts prices in thousandths and
/// refunds in thousandths of a percent; Google counts prices in millionths and refunds in units.
package enum ReceiptForm {
  static let dot = UInt8(ascii: ".")

  package static func name(of environment: StoreEnvironment) -> String {
    switch environment.kind {
    case .production: "Production"
    case .sandbox: "Sandbox"
    case .xcode: "Xcode"
    case .localTesting: "LocalTesting"
    }
  }

  package static func environmentName(in fields: ReceiptFields) throws(LedgerError) -> String {
    try fields["environment"].shortText()
  }

  package static func payload(of transaction: StoreTransaction) -> [UInt8] {
    var writer = JSONWriter(capacity: 768)
    writer.beginObject()
    if transaction.store == .google {
      GoogleReceiptForm.write(transaction, to: &writer)
    } else {
      AppleReceiptForm.write(transaction, to: &writer)
    }
    writer.endObject()
    return writer.bytes
  }

  package static func appleTransaction(
    from fields: ReceiptFields, environment: StoreEnvironment
  ) throws(LedgerError) -> StoreTransaction {
    try AppleReceiptForm.transaction(from: fields, environment: environment)
  }

  package static func playTransaction(
    from fields: ReceiptFields, environment: StoreEnvironment
  ) throws(LedgerError) -> StoreTransaction {
    try GoogleReceiptForm.transaction(from: fields, environment: environment)
  }

  package static func transaction(
    from fields: ReceiptFields, environment: StoreEnvironment
  ) throws(LedgerError) -> StoreTransaction {
    if try fields["purchaseToken"].optional?.shortText() != nil {
      try GoogleReceiptForm.transaction(from: fields, environment: environment)
    } else {
      try AppleReceiptForm.transaction(from: fields, environment: environment)
    }
  }
}
