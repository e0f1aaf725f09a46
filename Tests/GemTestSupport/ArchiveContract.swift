package import GemLedger
package import GemLedgerArchive
import XCTest

/// An export restores every ledger: whole and in increments cut anywhere, from one storage into the next, however many
/// lines a commit of the import writes.
package struct ArchiveContract {
  /// A storage that holds a copy.
  package struct Copy {
    package var name: String
    /// Makes the storage, or opens the one that the import before left.
    package var open: (JournalImport.Head) throws -> any LedgerStorage
    package var ledger: (LedgerClock) throws -> Ledger
    /// Whether entries and lots have the numbers that they have at the source.
    package var numbersAlike: Bool

    package init(
      _ name: String, numbersAlike: Bool = true, open: @escaping (JournalImport.Head) throws -> any LedgerStorage,
      ledger: @escaping (LedgerClock) throws -> Ledger
    ) {
      self.name = name
      self.open = open
      self.ledger = ledger
      self.numbersAlike = numbersAlike
    }

    package static func memory(_ name: String, _ kept: KeptStorages) -> Self {
      Self(name, open: { kept.storage(name, $0.project) }, ledger: { kept.ledger(name, $0) })
    }
  }

  private var generator: SeededRandom
  private let seed: UInt64
  private let source: Ledger
  private let time: ManualClock
  private var stream: ArchiveStream
  private let whole: () throws -> Copy
  /// Each is made of the exports of the one before it, the first of the source's.
  private let chain: [Copy]
  private var cursors: [ExportCursor?]

  /// - Parameters:
  ///   - chain: Where increments go; each copy's own exports go on into the next one.
  ///   - whole: Gives an empty place for a whole export.
  package init(
    generator: SeededRandom, make: (LedgerClock) throws -> Ledger, chain: [Copy], whole: @escaping () throws -> Copy
  ) throws {
    time = ManualClock()
    source = try make(time.clock)
    seed = generator.seed
    stream = try ArchiveStream(generator: generator, time: time, ledger: source)
    self.generator = generator
    self.chain = chain
    self.whole = whole
    cursors = chain.map { _ in nil }
  }

  /// - Parameters:
  ///   - cuts: How many increments there are.
  ///   - steps: How many steps the ledger lives before each of them at most.
  package mutating func run(cuts: Int, of steps: Int, line: UInt = #line) throws {
    for cut in 1...cuts {
      try stream.live(1 + generator.below(steps))
      let expected = try Books(source)
      let pageSize = generator.one(of: [1, 2, 3, 5, 9, 30, 200, 16_384])
      let position = "seed \(seed), export \(cut) of \(cuts), \(pageSize) lines a page"
      var ledger = source
      for index in chain.indices {
        let export = try Exported(ledger, after: cursors[index])
        cursors[index] = export.summary.cursor
        if index > 0 { ledger.close() }
        guard try Self.restore(export, to: chain[index], pageSize, time, expected, position, line: line) else { return }
        ledger = try chain[index].ledger(time.clock)
      }
      if !chain.isEmpty { ledger.close() }
      guard cut == cuts || generator.percent(30) else { continue }
      let export = try Exported(source)
      guard try Self.restore(export, to: whole(), pageSize, time, expected, "\(position), whole", line: line) else {
        return
      }
    }
    source.close()
  }

  /// Imports an export of the ledger as it is, and fails where the copy is not equal to it.
  static func check(
    _ export: Exported, of ledger: Ledger, in copy: Copy, _ pageSize: Int, _ time: ManualClock, _ position: String,
    line: UInt
  ) throws {
    let position = "\(position), \(pageSize) lines a page"
    _ = try restore(export, to: copy, pageSize, time, Books(ledger), position, line: line)
  }

  private static func restore(
    _ export: Exported, to copy: Copy, _ pageSize: Int, _ time: ManualClock, _ expected: Books, _ position: String,
    line: UInt
  ) throws -> Bool {
    let text = JournalImport(ImportBytes(export.bytes), clock: time.clock, pageSize: pageSize)
    let target = try copy.open(try text.head())
    do {
      try text.run(into: target)
    } catch {
      target.close()
      XCTFail("\(position), into \(copy.name): \(error)", line: line)
      return false
    }
    target.close()
    let ledger = try copy.ledger(time.clock)
    defer { ledger.close() }
    guard let difference = try Books(ledger).difference(from: expected, numbersAlike: copy.numbersAlike) else {
      return true
    }
    XCTFail("\(position), in \(copy.name): \(difference)", line: line)
    return false
  }
}

/// All that a ledger knows.
private struct Books {
  private let rows: EconomyRows
  private let exported: [String]
  private let customers: [String]

  init(_ ledger: Ledger) throws {
    var rows = try EconomyRows(ledger).withoutHints
    // An account that was only looked at has a row that says nothing.
    rows.accounts.removeAll { $0.version == 0 }
    self.rows = rows
    exported = try Exported(ledger).inner
    customers = try ledger.storage.read { (snapshot) throws(LedgerError) -> [String] in
      var (all, last): ([String], CustomerNumber) = ([], 0)
      while let end = try snapshot.customers(after: last, limit: 4096).last?.number {
        for row in try snapshot.customers(after: last, limit: 4096) {
          all.append(
            "\(row.number) \(row.id) of \(row.createdAt) frozen \(row.frozen) for \(row.frozenReason?.text ?? "-"), "
              + "part of \(row.mergedInto), has \(row.merged)")
        }
        last = end
      }
      return all
    }
  }

  /// Returns the difference between the two, in either direction; nil where there is none.
  func difference(from other: Self, numbersAlike: Bool) -> String? {
    if numbersAlike, let difference = rows.difference(from: other.rows) { return difference }
    if customers != other.customers {
      let different = zip(customers, other.customers).first { $0 != $1 }
      return "customer\n  \(different?.0 ?? "missing")\n  \(different?.1 ?? "missing")"
    }
    guard exported != other.exported else { return nil }
    let (own, others) = (Set(exported), Set(other.exported))
    return "lines\n  \(own.subtracting(others).sorted().prefix(3))\n  \(others.subtracting(own).sorted().prefix(3))"
  }
}
