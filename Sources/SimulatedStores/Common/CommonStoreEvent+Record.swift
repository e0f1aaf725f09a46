internal import GemLedger
internal import StoreBackend
internal import StoreClient

extension CommonStoreEvent: StoreEvent {
  func json() -> JSONValue {
    switch self {
    case .faults(let armed):
      var writer = ShopRecordWriter("faults")
      writer["faults"] = .array(armed.map { $0.record() })
      return writer.json
    case .counted(let call):
      var writer = ShopRecordWriter("counted")
      writer.put("api", call.api.rawValue)
      writer.put("account", call.account)
      writer.put("device", call.device)
      return writer.json
    case .held(let held):
      return held.record()
    case .released(let number): return Self.numbered("released", number)
    case .notice(let notice):
      return notice.record()
    case .noticesTaken(let number): return Self.numbered("notices_taken", number)
    case .clock(let reading): return Self.numbered("clock", reading)
    }
  }

  private static func numbered(_ kind: String, _ number: Int64) -> JSONValue {
    var writer = ShopRecordWriter(kind)
    writer.put("number", number)
    return writer.json
  }

  init(reading record: ShopRecordReader) throws(LedgerError) {
    switch try record["e"].text() {
    case "faults":
      self = .faults(
        try record["faults"].elements().map(ArmedFault.init(reading:)))
    case "counted":
      self = .counted(
        FaultCall(
          api: try record["api"].word(), account: try record["account"].text(), device: try record["device"].text()))
    case "held": self = .held(try HeldDelivery(reading: record))
    case "released": self = .released(try record["number"].integer())
    case "notice": self = .notice(try QueuedNotice(reading: record))
    case "notices_taken": self = .noticesTaken(try record["number"].integer())
    case "clock": self = .clock(try record["number"].integer())
    default: throw ShopRecordReader.damaged("there is no such event")
    }
  }
}

extension HeldDelivery {
  func record() -> JSONValue {
    var writer = ShopRecordWriter("held")
    writer.put("number", number)
    writer.put("until", until)
    switch delivery {
    case .update(let update): update.write(to: &writer)
    case .notice(let notice): writer["notice"] = notice.record()
    }
    return writer.json
  }

  init(reading record: ShopRecordReader) throws(LedgerError) {
    let delivery: Delivery =
      if record["notice"].optional == nil {
        .update(try TransactionUpdate(reading: record))
      } else {
        .notice(try QueuedNotice(reading: record["notice"]))
      }
    self.init(
      number: try record["number"].integer(), delivery: delivery, until: try record["until"].optional?.instant())
  }
}

extension TransactionUpdate {
  fileprivate func write(to writer: inout ShopRecordWriter) {
    writer.put("account", account)
    writer.put("except", exceptDevice)
    writer.put("only", onlyDevice)
    writer.put("unverified", unverified?.rawValue)
    writer["transaction"] = transaction.record()
  }

  fileprivate init(reading record: ShopRecordReader) throws(LedgerError) {
    self.init(
      transaction: try StoreTransaction(reading: record["transaction"]),
      account: try record["account"].text(), exceptDevice: try record["except"].optional?.text(),
      onlyDevice: try record["only"].optional?.text(), unverified: try record["unverified"].optional?.word())
  }
}

extension QueuedNotice {
  func record() -> JSONValue {
    var writer = ShopRecordWriter("notice")
    writer.put("number", number)
    writer.put("kind", kind.rawValue)
    writer["transaction"] = transaction.record()
    if let voided { writer["voided"] = voided.record() }
    writer.put("first", first)
    return writer.json
  }

  init(reading record: ShopRecordReader) throws(LedgerError) {
    self.init(
      number: try record["number"].integer(), kind: try record["kind"].word(),
      transaction: try StoreTransaction(reading: record["transaction"]),
      voided: try record["voided"].optional.map(VoidedPurchase.init(reading:)),
      first: try record["first"].optional?.integer())
  }
}

extension VoidedPurchase {
  func record() -> JSONValue {
    var writer = ShopRecordWriter()
    writer.put("token", purchaseToken.text)
    writer.put("order", orderID)
    writer.put("at", voidedAt)
    writer.put("source", source.rawValue)
    writer.put("reason", reason.rawValue)
    writer.put("quantity", voidedQuantity)
    writer.put("partial", flag: isPartial)
    return writer.json
  }

  init(reading record: ShopRecordReader) throws(LedgerError) {
    self.init(
      purchaseToken: StoreTransactionID(unchecked: try record["token"].text()),
      orderID: try record["order"].optional?.text(), voidedAt: try record["at"].instant(),
      source: try record["source"].number(), reason: try record["reason"].number(),
      voidedQuantity: try record["quantity"].integer(), isPartial: try record["partial"].flag())
  }
}
