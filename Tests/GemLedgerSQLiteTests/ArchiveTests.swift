import GemLedger
import GemLedgerSQLite
import GemTestSupport
import XCTest

final class ArchiveTests: XCTestCase {
  /// From memory into a file and back, and from a file into memory and into a file.
  func testEveryJournalComesBackFromAFile() throws {
    for (index, generator) in InvariantContract.generator(4).enumerated() {
      let (kept, directory) = (KeptStorages(), try TemporaryDirectory())
      let (file, memory) = (Self.file("copy", directory), ArchiveContract.Copy.memory("copy", kept))
      var contract = try ArchiveContract(
        generator: generator,
        make: {
          index % 2 == 0
            ? kept.ledger("source", $0) : try .createSQLite(at: directory.path("source.sqlite"), clock: $0)
        }, chain: index % 2 == 0 ? [file, memory] : [memory, file],
        whole: { Self.file("whole", try TemporaryDirectory()) })
      try contract.run(cuts: 3, of: 60)
    }
  }

  func testEveryStoryComesBack() throws {
    let directory = try TemporaryDirectory()
    try ArchiveStories.run(make: { Ledger.inMemory(clock: $0, salt: 7) }, copy: { Self.file($0, directory) })
  }

  private static func file(_ name: String, _ directory: TemporaryDirectory) -> ArchiveContract.Copy {
    ArchiveContract.Copy(
      "\(name).sqlite", open: { try ExportTests.open(directory.path("\(name).sqlite"), $0) },
      ledger: { try .openSQLite(at: directory.path("\(name).sqlite"), clock: $0) })
  }
}
