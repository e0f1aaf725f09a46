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
    switch try record.text("e") {
    case "faults":
      self = .faults(
        try record.list("faults") { (fault) throws(LedgerError) in try ArmedFault(reading: fault) })
    case "counted":
      self = .counted(
        FaultCall(
          api: try record.word("api"), account: try record.text("account"), device: try record.text("device")))
    case "held": self = .held(try HeldDelivery(reading: record))
    case "released": self = .released(try record.integer("number"))
    case "notice": self = .notice(try QueuedNotice(reading: record))
    case "notices_taken": self = .noticesTaken(try record.integer("number"))
    case "clock": self = .clock(try record.integer("number"))
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
      if record.optional("notice") == nil {
        .update(try TransactionUpdate(reading: record))
      } else {
        .notice(try QueuedNotice(reading: try record.reader("notice")))
      }
    self.init(number: try record.integer("number"), delivery: delivery, until: try record.optionalTime("until"))
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
      transaction: try StoreTransaction(reading: try record.reader("transaction")),
      account: try record.text("account"), exceptDevice: try record.optionalText("except"),
      onlyDevice: try record.optionalText("only"), unverified: try record.optionalOption("unverified"))
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
      number: try record.integer("number"), kind: try record.word("kind"),
      transaction: try StoreTransaction(reading: try record.reader("transaction")),
      voided: record.optional("voided") == nil ? nil : try VoidedPurchase(reading: try record.reader("voided")),
      first: try record.optionalInteger("first"))
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
      purchaseToken: StoreTransactionID(unchecked: try record.text("token")),
      orderID: try record.optionalText("order"), voidedAt: try record.time("at"),
      source: try record.number("source"), reason: try record.number("reason"),
      voidedQuantity: try record.integer("quantity"), isPartial: record.flag("partial"))
  }
}
