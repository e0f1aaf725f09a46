internal import GemLedger

/// How a store transaction is written into the payload of a receipt, and read back.
///
/// Purchases at Google Play have Google's field names, all others Apple's. Apple counts prices in thousandths and
/// refunds in thousandths of a percent; Google counts prices in millionths and refunds in units.
enum ReceiptForm {
  static let dot = UInt8(ascii: ".")

  static func name(of environment: StoreEnvironment) -> String {
    switch environment.kind {
    case .production: "Production"
    case .sandbox: "Sandbox"
    case .xcode: "Xcode"
    case .localTesting: "LocalTesting"
    }
  }

  static func environmentName(in fields: ReceiptFields) throws(LedgerError) -> String {
    try fields.text("environment")
  }

  static func payload(of transaction: StoreTransaction) -> [UInt8] {
    var writer = PayloadWriter()
    if transaction.store == .google {
      GoogleReceiptForm.write(transaction, to: &writer)
    } else {
      AppleReceiptForm.write(transaction, to: &writer)
    }
    return writer.finish()
  }

  static func transaction(
    from fields: ReceiptFields, environment: StoreEnvironment
  ) throws(LedgerError) -> StoreTransaction {
    if try fields.optionalText("purchaseToken") != nil {
      try GoogleReceiptForm.transaction(from: fields, environment: environment)
    } else {
      try AppleReceiptForm.transaction(from: fields, environment: environment)
    }
  }
}

/// Writes one flat object without building a value first: a receipt is made for every purchase.
struct PayloadWriter {
  private var bytes: [UInt8] = [UInt8(ascii: "{")]

  init() { bytes.reserveCapacity(768) }

  mutating func text(_ name: StaticString, _ value: String?) {
    guard let value else { return }
    begin(name)
    JSONWriter.append(value, to: &bytes)
  }

  mutating func integer(_ name: StaticString, _ value: Int64?) {
    guard let value else { return }
    begin(name)
    JSONWriter.append(value, to: &bytes)
  }

  mutating func instant(_ name: StaticString, _ value: Timestamp?) { integer(name, value?.milliseconds) }

  mutating func finish() -> [UInt8] {
    bytes.append(UInt8(ascii: "}"))
    return bytes
  }

  private mutating func begin(_ name: StaticString) {
    JSONWriter.append(name: name, isFirst: bytes.count == 1, to: &bytes)
  }
}
