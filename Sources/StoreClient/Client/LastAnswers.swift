internal import GemLedger
internal import StoreBackend

/// The most recent keys, up to a maximum number.
struct LastKeys {
  private static let countMax = 256
  private var keys: [ReceiptKey] = []
  /// The position of the oldest key, once the maximum is reached.
  private var oldest = 0

  func contains(_ key: ReceiptKey) -> Bool { keys.contains(key) }

  mutating func insert(_ key: ReceiptKey) {
    guard keys.count == Self.countMax else { return keys.append(key) }
    keys[oldest] = key
    oldest = (oldest + 1) % Self.countMax
  }
}

/// The last few answers to receipts.
struct LastAnswers {
  private static let countMax = 64
  private var answers: [(key: ReceiptKey, answer: ReceiptAnswer)] = []

  subscript(key: ReceiptKey) -> ReceiptAnswer? { answers.last { $0.key == key }?.answer }

  mutating func insert(_ answer: ReceiptAnswer, for key: ReceiptKey) {
    if answers.count == Self.countMax { answers.removeFirst() }
    answers.append((key, answer))
  }
}
