internal import GemLedger

/// The name of one number of the summary within its document.
struct SummaryCounter: Hashable {
  enum Name: String {
    // Of a currency; the number is that of the environment's kind.
    case paid, free, held, debt, units, value
    // Of an hour or a day; the number of a flow is that of its currency.
    case inflow, outflow, transactions, purchases, revenue
  }

  let name: Name
  var number: Int64 = 0
  var kind: Int64 = 0
  /// The price currency; empty for none.
  var price = ""

  var text: String { "\(name.rawValue)/\(number)/\(kind)/\(price)" }

  init(_ name: Name, _ number: Int64 = 0, kind: EntryKind? = nil, price: String = "") {
    (self.name, self.number, self.kind, self.price) = (name, number, kind?.rawValue ?? 0, price)
  }

  init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 4, let name = Name(rawValue: String(parts[0])), let number = Int64(parts[1]),
      let kind = Int64(parts[2])
    else { return nil }
    (self.name, self.number, self.kind, self.price) = (name, number, kind, String(parts[3]))
  }
}

/// What the counters of one document are about.
enum SummaryPlace: Hashable {
  /// The amounts of a currency, by its number.
  case currency(Int64)
  /// The activity of an hour, counted from 1970.
  case hour(Int64)
  /// The activity of a UTC day, counted from 1970.
  case day(Int64)

  var documentName: String {
    switch self {
    case .currency(let number): "\(SummaryState.documentName)/currency/\(number)"
    case .hour(let number): "\(SummaryState.documentName)/hour/\(number)"
    case .day(let number): "\(SummaryState.documentName)/day/\(number)"
    }
  }

  init?(documentName: String) {
    let parts = documentName.split(separator: "/")
    guard parts.count == 3, let number = Int64(parts[2]) else { return nil }
    switch parts[1] {
    case "currency": self = .currency(number)
    case "hour": self = .hour(number)
    case "day": self = .day(number)
    default: return nil
    }
  }

  /// Whether a summary as of the instant contains it.
  func isShown(asOf instant: Timestamp) -> Bool {
    switch self {
    case .currency: true
    case .hour(let number): number > instant.hour - 48
    case .day(let number): number > instant.hour / 24 - 31
    }
  }
}

extension Timestamp {
  /// The number of the hour, counted from 1970.
  var hour: Int64 { milliseconds / 3_600_000 }
}

/// Numbers by name; those that are 0 are left out.
typealias SummaryCounts = [SummaryCounter: Int64]

extension SummaryCounts {
  mutating func add(_ amount: Int64, to counter: SummaryCounter) throws(LedgerError) {
    guard amount != 0 else { return }
    try self[counter, default: 0].add(amount)
  }

  mutating func add(_ other: Self) throws(LedgerError) {
    for (counter, amount) in other { try add(amount, to: counter) }
  }

  /// The content of a document; nil if all numbers are 0.
  var content: String? {
    let members = filter { $0.value != 0 }.map { ($0.key.text, JSONValue.integer($0.value)) }
    return members.isEmpty ? nil : JSONValue.object(JSONObject(members.sorted { $0.0 < $1.0 })).text()
  }

  /// - Throws: `storage_damaged` if the document was edited.
  init(_ document: DocumentRow) throws(LedgerError) {
    self.init()
    for (name, value) in try document.object().members {
      guard let counter = SummaryCounter(name), let amount = value.integer else { throw document.isDamaged }
      self[counter] = amount
    }
  }
}

extension DocumentRow {
  var isDamaged: LedgerError {
    LedgerError(
      .storageDamaged,
      "The document \"\(name)\" was changed by another program. Remove it and all documents whose "
        + "names begin with \"\(SummaryState.documentName)\"; the summary is then built again.")
  }

  func object() throws(LedgerError) -> JSONObject {
    do throws(JSONError) {
      if let object = try JSONValue.parse(content).object { return object }
    } catch {}
    throw isDamaged
  }
}
